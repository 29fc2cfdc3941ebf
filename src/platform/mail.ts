import { createTransport } from 'nodemailer';
import type { Config } from './config/config.ts';
import { messageOf } from './log.ts';

export interface Mail {
  readonly to: string;
  /** Whose name it is from; the address is always MAIL_FROM. Default: the name there. */
  readonly sender?: string;
  /** One address; default: none. */
  readonly replyTo?: string;
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
  /**
   * Part of the Message-ID: equal whenever the mail is sent again, so that mail programs recognise a second
   * copy.
   */
  readonly id?: string;
  /** Default: the moment of sending. */
  readonly date?: Date;
  /** No program may reply to it (RFC 3834). */
  readonly isAutomatic?: boolean;
  /** Images that the HTML shows as `cid:NAME`. */
  readonly images?: readonly Image[];
}

interface Image {
  readonly name: string;
  readonly type: string;
  readonly content: Buffer;
}

export interface Mailer {
  /**
   * Resolves when the mail server has accepted the mail; rejects when it refuses it or does not respond in
   * time.
   */
  send(mail: Mail): Promise<void>;
}

/** nodemailer's own timeouts for connection, greeting and response are minutes. */
const TIMEOUT_MS = 15_000;

const AUTOMATIC = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' };

/** Returns a mailer for the server of SMTP_URL; null when that variable is not set. */
export function createMailer(config: Pick<Config, 'smtpUrl' | 'mailFrom' | 'publicUrl'>): Mailer | null {
  if (config.smtpUrl === null) return null;
  const timeouts = { connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS };
  const transport = createTransport({ url: config.smtpUrl, ...timeouts });
  const from = config.mailFrom ?? `no-reply@${new URL(config.publicUrl).hostname}`;
  const address = /<([^<>]+)>\s*$/.exec(from)?.[1] ?? from;
  const host = /@([^\s<>@]+)>?$/.exec(from)?.[1] ?? 'localhost';
  return {
    async send({ to, sender, replyTo, id, isAutomatic = false, images = [], ...content }) {
      await transport.sendMail({
        from: sender === undefined ? from : { name: sender, address },
        // As an object it is never parsed as a list: a customer's address names one recipient.
        to: { name: '', address: to },
        ...(replyTo === undefined ? {} : { replyTo: { name: '', address: replyTo } }),
        ...content,
        attachments: images.map(({ name, type, content: bytes }) => ({
          cid: name,
          filename: name,
          contentType: type,
          contentDisposition: 'inline' as const,
          content: bytes,
        })),
        ...(id === undefined ? {} : { messageId: `<${id}@${host}>` }),
        ...(isAutomatic ? { headers: AUTOMATIC } : {}),
        // Text that looks like a path or a URL stays text.
        disableFileAccess: true,
        disableUrlAccess: true,
      });
    },
  };
}

/** For a person who waits. */
const VERIFY_MS = 5_000;

/** Signs in to the server of SMTP_URL, and sends nothing. Returns what is wrong; null: nothing. */
export async function mailServerFault({ smtpUrl }: Pick<Config, 'smtpUrl'>): Promise<string | null> {
  if (smtpUrl === null) return null;
  const timeouts = { connectionTimeout: VERIFY_MS, greetingTimeout: VERIFY_MS, socketTimeout: VERIFY_MS };
  const transport = createTransport({ url: smtpUrl, ...timeouts });
  try {
    await transport.verify();
    return null;
  } catch (error) {
    return `the mail server cannot be used: ${messageOf(error)}`;
  } finally {
    transport.close();
  }
}
