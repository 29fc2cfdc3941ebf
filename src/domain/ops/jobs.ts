import { defineJob } from '../../platform/job.ts';

/** Key: `all`. Recurs every 10 minutes. */
export const reconcileWork = defineJob('relay.reconcile', 'relay');
