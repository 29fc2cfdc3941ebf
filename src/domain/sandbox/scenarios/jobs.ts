import { defineRecurringJob } from '../../schedule/job.ts';

export const sweepScenarios = defineRecurringJob('sandbox.sweep', 'sandbox', { everySeconds: 60 });
