import { NETWORK_IDS } from '../../chain/networks.ts';
import { defineJob } from '../../schedule/job.ts';

/** Key: a payment's id. Due at its deadline. */
export const expirePayment = defineJob('payment.expire', 'expiration', { batch: 200 });
/** Key: a payment's id. Due when the first of its rate locks ends. */
export const requotePayment = defineJob('payment.requote', 'expiration', { batch: 200 });
/** Key: a payment's id. Due when the first of its unmined transfers stops to hold rate and deadline. */
export const endHolds = defineJob('payment.end-holds', 'expiration', { batch: 200 });
/** Key: a payment's id. Due when the payment is confirmed in full; converts and settles it. */
export const settlePayment = defineJob('payment.settle', 'settlement', { batch: 100 });
/**
 * Key: a payment's id. Due while money of it is sold at its merchant's account at an exchange. Not in the
 * queue of settlements, whose few slots an exchange that hangs would hold.
 */
export const sellPayment = defineJob('payment.sell', 'refunds', { perMerchant: true });
/** Key: a refund's id. Due when the refund is accepted. */
export const sendRefund = defineJob('refund.send', 'refunds', { batch: 20 });
/** Key: a refund's id. Due when the refund begins to wait for a signature; asks the signer for it. */
export const offerRefund = defineJob('refund.offer', 'refunds', { batch: 20 });
/** Key: names an address for refunds. Due when the customer gives it; a mail tells them so. */
export const tellRefundAddress = defineJob('refund-address.tell', 'mail');
/** Key: a refund's id. Due when the refund begins to wait for an address; a mail asks the customer for it. */
export const askRefundAddress = defineJob('refund-address.ask', 'mail');
/** Key: a payment's id. Due while transfers of the payment are quarantined; applies them. */
export const applyQuarantined = defineJob('payment.apply-transfers', 'confirmations');
/** Key: a network's name. Recurs with the network's blocks. */
export const syncChain = defineJob('chain.observe', 'confirmations', { keys: NETWORK_IDS });
