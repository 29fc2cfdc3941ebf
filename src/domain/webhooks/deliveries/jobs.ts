import { defineJob } from '../../../platform/job.ts';

/**
 * Key: `all`. Recurs hourly: creates the partitions of the weeks to come, and drops those that are too old.
 */
export const maintainDeliveryPartitions = defineJob('webhook.partitions', 'clean-up');
