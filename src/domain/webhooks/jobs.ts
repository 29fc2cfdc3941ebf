import { defineJob } from '../../platform/job.ts';

/** Key: a delivery's id. Due now, or when its next attempt is. One exchange a job: a slow receiver holds up nothing else. */
export const deliverWebhook = defineJob('webhook.deliver', 'webhook-delivery');
