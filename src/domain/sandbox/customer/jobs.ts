import { defineJob } from '../../schedule/job.ts';

/**
 * Key: a payment's id. Due SIMULATOR_AUTOPAY_SECONDS after its creation: the simulated customer pays it in
 * full.
 */
export const autopayPayment = defineJob('sandbox.autopay', 'sandbox', { batch: 100 });
