import { defineJob } from '../schedule/job.ts';

/** Key: an event's id. Due when the event is recorded; events/dispatch.ts handles it. */
export const dispatchEvent = defineJob('event.fan-out', 'webhook-fan-out', { batch: 200 });
