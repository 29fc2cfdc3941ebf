import type { Handler } from '../schedule/job.ts';
import type { Mailer } from '../../platform/mail.ts';
import { tellDevice } from './factors/jobs.ts';
import { sendDeviceNotice } from './factors/tell-device.ts';

/** The handlers of people; without a mailer no mail is sent. */
export const peopleHandlers = ({ mailer }: { readonly mailer: Mailer | null }): readonly Handler[] => [
  {
    job: tellDevice,
    async handle(ctx, keys) {
      for (const key of keys) await sendDeviceNotice(ctx, { mailer }, key);
    },
  },
];
