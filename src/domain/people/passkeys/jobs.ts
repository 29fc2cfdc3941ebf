import { defineJob } from '../../schedule/job.ts';

/** Key: a passkey's id, and the address from where its clone was used. */
export const tellClone = defineJob('passkey.cloned', 'mail');
