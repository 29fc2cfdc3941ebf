import type { Handler } from '../schedule/job.ts';
import type { Mailer } from '../../platform/mail.ts';
import { sweepPeople } from './jobs.ts';
import { tellClone } from './passkeys/jobs.ts';
import { sendCloneNotice } from './passkeys/tell-clone.ts';
import { mailPasswordLink } from './recovery/jobs.ts';
import { sendPasswordLink } from './recovery/mail-link.ts';
import { tellDevice } from './sessions/jobs.ts';
import { sendDeviceNotice } from './sessions/tell-device.ts';
import { sweepPeopleOnce } from './sweep.ts';

/** The handlers of people; without a mailer no mail is sent. */
export const peopleHandlers = ({ mailer }: { readonly mailer: Mailer | null }): readonly Handler[] => [
  {
    job: tellDevice,
    async handle(ctx, keys) {
      for (const key of keys) await sendDeviceNotice(ctx, { mailer }, key);
    },
  },
  {
    job: tellClone,
    async handle(ctx, keys) {
      for (const key of keys) await sendCloneNotice(ctx, { mailer }, key);
    },
  },
  {
    job: mailPasswordLink,
    async handle(ctx, keys) {
      for (const key of keys) await sendPasswordLink(ctx, { mailer }, key);
    },
  },
  {
    job: sweepPeople,
    async handle(ctx) {
      const swept = await sweepPeopleOnce(ctx);
      if (Object.values(swept).some((rows) => rows > 0)) ctx.log.info('ended sign-ins deleted', swept);
    },
  },
];
