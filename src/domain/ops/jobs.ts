import { defineJob } from '../../platform/job.ts';

/** Key: `all`. Recurs every 10 minutes. */
export const reconcileWork = defineJob('relay.reconcile', 'relay');

/** Key: `all`. Recurs hourly. */
export const sweepHistory = defineJob('history.sweep', 'clean-up');
