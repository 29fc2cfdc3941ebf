import { defineJob } from '../../platform/job.ts';

/**
 * Key: an event's id. Due when the event is recorded, if the customer has an address. One key a job, so that
 * a slow mail server delays no other receipt.
 */
export const sendReceipt = defineJob('receipt.send', 'mail', { keyNames: 'event' });
