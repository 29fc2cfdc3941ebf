import { defineJob } from '../../platform/job.ts';

/**
 * Key: an event's id. Due when the event was recorded, where the customer has an address. One a job, so that a mailbox or a mail
 * server that hangs holds up nobody else's.
 */
export const sendReceipt = defineJob('receipt.send', 'mail');
