import { isSameAddress } from '../../../chain/addresses.ts';
import type { ChainClient, Outcome } from '../../../chain/port.ts';
import type { Context } from '../../../../platform/context.ts';
import { hasComeAfter } from './candidates.ts';
import { hold, markChecked, takeBack, type NamedRefund } from './named.ts';
import { misfitOf, problemOf } from './problems.ts';

/** A transaction that its network does not know for this long is not on its way. */
const UNKNOWN_SECONDS = 600;

/**
 * Judges a transaction that a refund names and that is in no block which was read: takes the refund back to
 * its merchant, or holds it, where that is not the refund. Else it is looked at again. It completes nothing:
 * only what the watcher reads, block by block, does.
 */
export async function judgeNamed(
  ctx: Context,
  client: Pick<ChainClient, 'find'>,
  named: NamedRefund,
): Promise<void> {
  const { db } = ctx;
  const { id, tx_hash: txHash, network, is_announced, is_dropped, is_used_by_same } = named;
  if (is_used_by_same === false) return hold(db, named, problemOf('claimed_elsewhere', txHash));
  if (is_used_by_same === true) return takeBack(db, named, problemOf('already_used', txHash));
  if (is_dropped) return takeBack(db, named, problemOf('dropped', txHash));
  // What the watcher has found, and a reorganisation took out of its block, is found again if it comes back.
  if (!is_announced) return takeBack(db, named, null);
  await markChecked(db, id, ctx.now());
  const outcome = await client.find(network, txHash);
  if (outcome !== null) await judgeOutcome(ctx, named, outcome);
}

async function judgeOutcome(ctx: Context, named: NamedRefund, outcome: Outcome): Promise<void> {
  const { db, now } = ctx;
  const { id, tx_hash: txHash, named_at, network, coin, address } = named;
  if (outcome.state === 'unknown') {
    const isOld = now().getTime() - named_at.getTime() > UNKNOWN_SECONDS * 1_000;
    if (isOld) await takeBack(db, named, problemOf('not_found', txHash));
    return;
  }
  const misfit = misfitOf(named, txHash, outcome);
  if (misfit !== null) return takeBack(db, named, misfit);
  const moved = outcome.transfers.find(
    (one) => one.coin === coin && isSameAddress(network, one.address, address),
  );
  if (moved === undefined || moved.block === null) return;
  if (!(await hasComeAfter(db, id, moved))) await takeBack(db, named, problemOf('too_early', txHash));
  else if (moved.final) await hold(db, named, problemOf('not_scanned', txHash), txHash);
}
