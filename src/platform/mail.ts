import { createTransport } from 'nodemailer';
import type { Config } from './config/config.ts';

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
  /** Names the mail in its Message-ID: the same each time that it is sent, so that a second copy is known for one. */
  readonly id?: string;
  /** Default: the moment of sending. */
  readonly date?: Date;
  /** Nobody asked for it by a mail, and nothing should answer it by itself (RFC 3834). */
  readonly isAutomatic?: boolean;
}

export interface Mailer {
  /** Resolves when the mail server has accepted the mail; rejects when it has not, or does not answer in time. */
  send(mail: Mail): Promise<void>;
}

/** What nodemailer waits for a connection, a greeting and an answer by itself is minutes. */
const TIMEOUT_MS = 15_000;

const AUTOMATIC = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' };

/** The way to the mail server of SMTP_URL; null where none is set. */
export function createMailer(config: Pick<Config, 'smtpUrl' | 'mailFrom' | 'publicUrl'>): Mailer | null {
  if (config.smtpUrl === null) return null;
  const timeouts = { connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS };
  const transport = createTransport({ url: config.smtpUrl, ...timeouts });
  const from = config.mailFrom ?? `no-reply@${new URL(config.publicUrl).hostname}`;
  const host = /@([^\s<>@]+)>?$/.exec(from)?.[1] ?? 'localhost';
  return {
    async send({ to, id, isAutomatic = false, ...content }) {
      await transport.sendMail({
        from,
        // Never parsed as a list: whoever wrote the address names one recipient.
        to: { name: '', address: to },
        ...content,
        ...(id === undefined ? {} : { messageId: `<${id}@${host}>` }),
        ...(isAutomatic ? { headers: AUTOMATIC } : {}),
        // A text that looks like a path or an address stays a text.
        disableFileAccess: true,
        disableUrlAccess: true,
      });
    },
  };
}
