import type { Handler } from '../schedule/job.ts';
import type { Mailer } from '../../platform/mail.ts';
import { tellWallet } from './jobs.ts';
import { sendWalletNotice } from './notify.ts';

/** The handlers of wallets; without a mailer no mail is sent. */
export const walletHandlers = ({ mailer }: { readonly mailer: Mailer | null }): readonly Handler[] => [
  {
    job: tellWallet,
    async handle(ctx, keys) {
      for (const key of keys) await sendWalletNotice(ctx, { mailer }, key);
    },
  },
];
