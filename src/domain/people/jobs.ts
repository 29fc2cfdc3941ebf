import { defineRecurringJob } from '../schedule/job.ts';

export const sweepPeople = defineRecurringJob('people.sweep', 'clean-up', { everySeconds: 3_600 });
