import { defineJob } from '../../platform/job.ts';

/** Key: `all`. Recurs hourly. */
export const sweepIdempotencyKeys = defineJob('idempotency.sweep', 'clean-up');
