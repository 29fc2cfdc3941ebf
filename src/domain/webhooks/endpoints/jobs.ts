import { defineJob } from '../../schedule/job.ts';

/**
 * Key: an endpoint's id. Due when the first of its deliveries is. Its handler mostly waits for receivers, so
 * many more of these jobs run at once than of others: an endpoint that hangs must not take the place of one
 * that responds.
 */
export const deliverWebhook = defineJob('webhook.deliver', 'webhook-delivery', { perMerchant: true });

/** Key: an endpoint's id. Due once when it is disabled, where there is a mail server. */
export const notifyDisabled = defineJob('webhook.tell-switched-off', 'mail');
