import type { Handler } from '../schedule/job.ts';
import type { Mailer } from '../../platform/mail.ts';
import { useAfterWait } from './by-owner.ts';
import { tellWallet, useWallet } from './jobs.ts';
import { sendWalletNotice } from './notify.ts';

/** The handlers of wallets; without a mailer no mail is sent. */
export const walletHandlers = ({ mailer }: { readonly mailer: Mailer | null }): readonly Handler[] => [
  {
    job: tellWallet,
    async handle(ctx, keys) {
      for (const key of keys) await sendWalletNotice(ctx, { mailer }, key);
    },
  },
  {
    job: useWallet,
    async handle(ctx, keys) {
      for (const id of keys) await useAfterWait(ctx, id);
    },
  },
];
