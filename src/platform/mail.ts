import { createTransport } from 'nodemailer';
import type { Config } from './config.ts';

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

export interface Mailer {
  /** Resolves when the mail server has accepted the mail; rejects when it has not, or does not answer in time. */
  send(mail: Mail): Promise<void>;
}

/** What nodemailer waits for a connection, a greeting and an answer by itself is minutes. */
const TIMEOUT_MS = 15_000;

const mailers = new WeakMap<Pick<Config, 'smtpUrl'>, Mailer>();

/** The way to the mail server of SMTP_URL; null where none is set. */
export function mailerOf(config: Pick<Config, 'smtpUrl' | 'mailFrom' | 'publicUrl'>): Mailer | null {
  if (config.smtpUrl === null) return null;
  const known = mailers.get(config);
  if (known !== undefined) return known;
  const timeouts = { connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS };
  const transport = createTransport({ url: config.smtpUrl, ...timeouts });
  const from = config.mailFrom ?? `no-reply@${new URL(config.publicUrl).hostname}`;
  const mailer: Mailer = {
    async send(mail) {
      await transport.sendMail({ from, ...mail });
    },
  };
  mailers.set(config, mailer);
  return mailer;
}
