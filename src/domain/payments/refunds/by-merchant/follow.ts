import type { NetworkId } from '../../../chain/networks.ts';
import type { ChainClient } from '../../../chain/port.ts';
import type { Context } from '../../../../platform/context.ts';
import { messageOf } from '../../../../platform/log.ts';
import { isUnavailable, run, sql, type Tx } from '../../../../platform/postgres/db.ts';
import type { Payment } from '../../lifecycle/payment.ts';
import { lockAll, lockPayment } from '../../lifecycle/store.ts';
import { completeRefund } from '../send.ts';
import { isSent, isUnsigned } from '../states.ts';
import { deleteIdlePayouts, readCandidates, readUnfollowed } from './candidates.ts';
import { chooseRefund, type Candidate } from './choose.ts';
import { judgeNamed } from './judge.ts';
import { hold, nameTransaction, readDueNamed, takeBack } from './named.ts';
import type { PayoutKey } from './payout-transfers.ts';
import { problemOf } from './problems.ts';
import { reviewAwaited } from './review.ts';

/** Transactions that a provider is asked for at once: what merchants announce must not cost more. */
const JUDGED_AT_ONCE = 5;

/** A network that was read to its head. */
interface ReadNetwork {
  readonly network: NetworkId;
  readonly finalHeight: number;
}

/**
 * Does what the transfers of a network mean for the refunds that merchants pay: a final one completes its
 * refund, and one that is mined names itself there. Each in a transaction of its own, so that one that fails
 * stops no other, nor the network. It asks no provider, for the next page waits for it.
 */
export async function followPayouts(ctx: Context, { network, finalHeight }: ReadNetwork): Promise<void> {
  for (const { is_final: isFinal, ...key } of await readUnfollowed(ctx.db, { network, finalHeight }))
    await attempt(ctx, key, async () => {
      const height = isFinal ? finalHeight : null;
      const payments = (await readCandidates(ctx.db, key)).map(({ payment_id }) => payment_id);
      const moved = await ctx.db.transaction((tx) =>
        followTransfer(tx, { key, height, payments }, ctx.now()),
      );
      for (const { id, status, amount_refunded } of moved)
        ctx.log.info('payment refunded', { payment_id: id, tx_hash: key.tx_hash, status, amount_refunded });
    });
  await deleteIdlePayouts(ctx.db, { network, finalHeight });
}

/**
 * Looks up what merchants have announced and no block has: what is no refund is taken back, or held. Beside
 * the pages of the network, for a provider may take long.
 */
export async function judgeAnnounced(
  ctx: Context,
  client: Pick<ChainClient, 'find'>,
  network: NetworkId,
): Promise<void> {
  for (const named of await readDueNamed(ctx.db, { network, now: ctx.now(), limit: JUDGED_AT_ONCE }))
    await attempt(ctx, { network, refund_id: named.id }, async () => {
      await judgeNamed(ctx, client, named);
      // What goes back to its merchant may have lost its money while it named a transaction.
      await ctx.db.transaction(async (tx) => {
        await lockPayment(tx, named.payment_id);
        await reviewAwaited(tx, [named.payment_id], ctx.now());
      });
    });
}

async function attempt(ctx: Context, about: object, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (isUnavailable(error)) throw error;
    ctx.log.error('a refund that a merchant pays was not followed: tried again after the next block', {
      ...about,
      error: messageOf(error),
    });
  }
}

interface Followed {
  readonly key: PayoutKey;
  /** Up to where blocks are final; null: the transfer is not. */
  readonly height: number | null;
  readonly payments: readonly string[];
}

const claimTransfer = sql<{ refund_id: string }, PayoutKey & { refundId: string; height: number }>(
  'claim_payout_transfer',
  (p) => `
    UPDATE payout_transfers SET refund_id = ${p.refundId}
    WHERE network = ${p.network} AND tx_hash = ${p.tx_hash} AND coin = ${p.coin} AND address = ${p.address}
      AND refund_id IS NULL AND dropped_at IS NULL AND block_height <= ${p.height}::bigint
    RETURNING refund_id`,
);

/** Completes, names or holds the refunds that a transfer fits. Returns the payments that moved. */
async function followTransfer(tx: Tx, { key, height, payments }: Followed, now: Date): Promise<Payment[]> {
  // Whoever announces, clears or completes one of these refunds has the lock of its payment.
  await lockAll(tx, payments);
  const candidates = (await readCandidates(tx, key)).filter((one) => payments.includes(one.payment_id));
  const { tx_hash: txHash } = key;
  const choice = chooseRefund(candidates, txHash);
  if (choice === null) return [];
  if (choice === 'contradictory') {
    if (height !== null) await holdAll(tx, candidates, txHash);
    return [];
  }
  if (height === null) {
    if (isUnsigned(choice.status))
      await nameTransaction(tx, { id: choice.id, txHash, isAnnounced: false, now });
    return [];
  }
  const claimed = await run(tx, claimTransfer, { ...key, refundId: choice.id, height });
  if (claimed.length === 0) return [];
  const others = candidates.filter(({ id }) => id !== choice.id);
  for (const other of others) await release(tx, other, choice, txHash);
  if (others.length > 0) await reviewAwaited(tx, payments, now);
  return completeRefund(tx, choice, txHash, now);
}

async function holdAll(tx: Tx, candidates: readonly Candidate[], txHash: string): Promise<void> {
  for (const one of candidates)
    if (isUnsigned(one.status)) await hold(tx, one, problemOf('ambiguous', txHash));
}

/** What becomes of another refund that a transfer fits, once it has completed one. */
async function release(tx: Tx, other: Candidate, { merchant_id }: Candidate, txHash: string): Promise<void> {
  const isNamed = other.tx_hash === txHash;
  if (other.merchant_id !== merchant_id) {
    // Its merchant may have sent this transfer, and would send another.
    if (isNamed || !isSent(other.status)) await hold(tx, other, problemOf('claimed_elsewhere', txHash));
  } else if (isNamed)
    await takeBack(tx, other, other.is_announced ? problemOf('already_used', txHash) : null);
}
