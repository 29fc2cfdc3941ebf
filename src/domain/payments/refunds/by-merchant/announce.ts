import { NETWORKS, type NetworkId } from '../../../chain/networks.ts';
import type { ChainProfile } from '../../../chain/profile.ts';
import { recordChange } from '../../../audit/record.ts';
import { once } from '../../../idempotency/claim.ts';
import type { Context } from '../../../../platform/context.ts';
import { isId } from '../../../../platform/values/ids.ts';
import { reply, type Caller, type IdempotencyClaim, type Reply } from '../../../api/endpoint.ts';
import { ApiError, foundOr, ValidationError } from '../../../api/errors.ts';
import { getPayment, lockPayment } from '../../lifecycle/store.ts';
import { toRefundResource } from '../schemas.ts';
import { readRefunds, type Refund } from '../store.ts';
import { isAwaited, isCompleted } from '../states.ts';
import { nameTransaction } from './named.ts';

interface Announcement {
  readonly id: string;
  readonly refundId: string;
  readonly txHash: string;
  readonly claim: IdempotencyClaim | null;
}

/**
 * Names the transaction with which the merchant pays a refund, in place of an earlier one; nobody has looked
 * at it yet. One that has completed the refund is confirmed as it is. Throws ApiError payment_not_found,
 * refund_not_found, and refund_not_allowed for a refund that waits for no transaction; ValidationError for
 * what is no hash on its network.
 */
export async function announceRefund(
  ctx: Context,
  chains: ChainProfile,
  { merchantId }: Pick<Caller, 'merchantId'>,
  { id, refundId, txHash: given, claim }: Announcement,
): Promise<Reply> {
  await getPayment(ctx.db, merchantId, id);
  const now = ctx.now();
  return once(ctx.db, claim, now, async (tx) => {
    // With the lock nothing completes, holds or clears the refund meanwhile.
    await lockPayment(tx, id);
    const refunds = isId('ref', refundId) ? await readRefunds(tx, id) : [];
    const refund = foundOr(
      'refund_not_found',
      refunds.find((one) => one.id === refundId),
    );
    if (isCompleted(refund.status) && refund.tx_hash === given.toLowerCase())
      return reply(200, toRefundResource(refund, chains));
    if (!isAwaited(refund.status)) throw new ApiError('refund_not_allowed', { message: whyNot(refund) });
    const txHash = parseHash(chains, refund.network, given);
    const named = foundOr(
      'refund_not_found',
      await nameTransaction(tx, { id: refundId, txHash, isAnnounced: true, now }),
    );
    ctx.log.info('refund announced', { payment_id: id, refund_id: refundId, tx_hash: txHash });
    await recordChange(ctx, tx, 'refund announced', {
      merchant_id: merchantId,
      payment_id: id,
      refund_id: refundId,
      tx_hash: txHash,
    });
    return reply(200, toRefundResource(named, chains));
  });
}

/** Merchants pay refunds on networks whose hashes are hex digits; null: on no others. */
const HASHES = { '0x-hex': /^0x[0-9a-f]{64}$/i, hex: /^[0-9a-f]{64}$/i, base58: null } as const;

function parseHash(chains: ChainProfile, network: NetworkId, given: string): string {
  if (HASHES[NETWORKS[network].transactionHashFormat]?.test(given) === true) return given.toLowerCase();
  const where = chains.nameOf(network);
  throw new ValidationError('tx_hash', 'format', `must be the hash of a transaction on ${where}`);
}

function whyNot({ id, status, tx_hash }: Refund): string {
  if (isCompleted(status)) return `The refund ${id} is COMPLETED by transaction ${tx_hash}.`;
  return `The refund ${id} is ${status}: it waits for no transaction of yours.`;
}
