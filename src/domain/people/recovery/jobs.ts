import { defineJob } from '../../schedule/job.ts';

/** Key: the id of a link that was asked for. */
export const mailPasswordLink = defineJob('password.mail', 'mail');
