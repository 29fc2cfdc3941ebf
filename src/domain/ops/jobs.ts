import { defineRecurringJob } from '../schedule/job.ts';

export const reconcileJobs = defineRecurringJob('relay.reconcile', 'relay', { everySeconds: 600 });

export const sweepHistory = defineRecurringJob('history.sweep', 'clean-up', { everySeconds: 3_600 });
