import { defineRecurringJob } from '../schedule/job.ts';

export const sweepIdempotencyKeys = defineRecurringJob('idempotency.sweep', 'clean-up', {
  everySeconds: 3_600,
});
