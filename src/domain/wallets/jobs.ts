import { defineJob } from '../schedule/job.ts';

/**
 * Key: a wallet's id, what was changed, and who is told: `wal_... confirmed mer_...` where mails of the
 * merchant go, `wal_... confirmed mer_... per_...` an owner. Due when it is changed.
 */
export const tellWallet = defineJob('wallet.tell', 'mail');

/** Key: the id of a wallet that an owner has confirmed at the desk. Due when it is to be used. */
export const useWallet = defineJob('wallet.use', 'clean-up');
