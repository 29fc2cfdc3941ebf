import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** Header and body, as received. */
  readonly source: string;
}

/** A real mail server in this process, which keeps the mails that it accepts. */
export interface MailServer {
  readonly url: string;
  readonly mails: readonly ReceivedMail[];
  /** Rejects every mail with 451 from now on, or accepts them again. */
  refuse(refuses: boolean): void;
  /** Rejects this recipient with `responseCode` from now on. */
  refuseRecipient(address: string, responseCode: number, words?: string): void;
  /** Delays its responses to mails until `release` is called; `arrived` resolves with the first mail. */
  hold(): { readonly arrived: Promise<void>; readonly release: () => void };
  close(): Promise<void>;
}

export async function startMailServer(): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  const refused = new Map<string, { responseCode: number; words: string }>();
  let refuses = false;
  let held: { arrive(): void; readonly released: Promise<void> } | null = null;
  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onRcptTo({ address }, _session, callback) {
      const refusal = refused.get(address);
      if (refusal === undefined) return callback();
      const { responseCode, words } = refusal;
      return callback(Object.assign(new Error(words), { responseCode }));
    },
    onData(stream, session, callback) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        if (refuses) return callback(Object.assign(new Error('come again'), { responseCode: 451 }));
        const { mailFrom, rcptTo } = session.envelope;
        held?.arrive();
        void (held?.released ?? Promise.resolve()).then(() => {
          mails.push({
            from: mailFrom === false ? '' : mailFrom.address,
            to: rcptTo.map(({ address }) => address),
            source: Buffer.concat(chunks).toString(),
          });
          callback();
        });
      });
    },
  });
  const server = smtp.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    refuse: (value) => void (refuses = value),
    refuseRecipient: (address, responseCode, words = `${address} is not known here`) =>
      void refused.set(address, { responseCode, words }),
    hold() {
      const [arrived, arrive] = signal();
      const [released, release] = signal();
      held = { arrive, released };
      return {
        arrived,
        release() {
          held = null;
          release();
        },
      };
    },
    close: () => new Promise((resolve) => smtp.close(() => resolve())),
  };
}

/** A promise, and the function that fulfils it. */
function signal(): [promise: Promise<void>, fulfil: () => void] {
  let fulfil = () => {};
  const promise = new Promise<void>((resolve) => void (fulfil = resolve));
  return [promise, fulfil];
}
