import { defineJob } from '../../platform/job.ts';

/** Key: an event's id. Due when the event was recorded; whoever delivers events handles it. */
export const dispatchEvent = defineJob('event.fan-out', 'webhook-fan-out', { batch: 200 });
