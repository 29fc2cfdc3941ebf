import { defineRecurringJob } from '../schedule/job.ts';

/** Who looks at charts counts what came since, so this is how much that is. */
export const countPayments = defineRecurringJob('overview.count', 'clean-up', { everySeconds: 60 });
