import { defineJob } from '../../platform/job.ts';

/** Key: an event's id. Due when the event is recorded; events/dispatch.ts does what follows from it. */
export const dispatchEvent = defineJob('event.fan-out', 'webhook-fan-out', { batch: 200 });
