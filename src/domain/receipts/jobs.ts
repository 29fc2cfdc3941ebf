import { defineJob } from '../schedule/job.ts';

/**
 * Key: an event's id. Due when the event is recorded, if the customer has an address. One key a job, so that
 * a slow mail server delays no other receipt.
 */
export const sendReceipt = defineJob('receipt.send', 'mail', { perMerchant: true });

/**
 * Key: the id of an event that reports money for which there is no use, too late or too little; due as
 * receipts are. A job of its own: a previous release that runs beside this one has no handler for it, and
 * would send the mail as a receipt.
 */
export const sendAddressRequest = defineJob('address-request.send', 'mail', { perMerchant: true });
