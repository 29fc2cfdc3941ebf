import { defineRecurringJob } from '../../../platform/job.ts';

export const sweepScenarios = defineRecurringJob('sandbox.sweep', 'sandbox', { everySeconds: 60 });
