import { defineRecurringJob } from '../../schedule/job.ts';

/** Creates the partitions of the next weeks, and drops those that are too old. */
export const maintainDeliveryPartitions = defineRecurringJob('webhook.partitions', 'clean-up', {
  everySeconds: 3_600,
});
