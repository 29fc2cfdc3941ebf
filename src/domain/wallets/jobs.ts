import { defineJob } from '../schedule/job.ts';

/**
 * Key: a wallet's id, what was changed, and who is told: `wal_... confirmed mer_...`. Due when it is
 * changed.
 */
export const tellWallet = defineJob('wallet.tell', 'mail');
