import { defineJob, defineRecurringJob } from '../../../platform/job.ts';

/**
 * Key: an endpoint's id. Due when the first of its deliveries is. Its jobs mostly wait for receivers, so many more of them run at once
 * than of others: an endpoint that hangs must not take the place of one that answers.
 */
export const deliverWebhook = defineJob('webhook.deliver', 'webhook-delivery');

/** Creates the partitions of the next weeks, and drops those that are too old. */
export const keepDeliveryPartitions = defineRecurringJob('webhook.partitions', 'clean-up', {
  everySeconds: 3_600,
});

/** Key: an endpoint's id. Due once when it is switched off, where there is a mail server. */
export const notifyDisabled = defineJob('webhook.tell-switched-off', 'mail');
