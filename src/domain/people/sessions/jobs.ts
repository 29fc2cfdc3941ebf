import { defineJob } from '../../schedule/job.ts';

/** Key: a person's id, and the hash of the device that they have signed in from for the first time. */
export const tellDevice = defineJob('device.tell', 'mail');
