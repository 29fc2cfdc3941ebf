import { finish } from '../due-work/store.ts';
import type { Context } from '../../platform/context.ts';
import { expirePayment } from './jobs.ts';
import { observeNetworksOf } from './observe.ts';
import { sendBackOwed } from './send-back.ts';
import { transition } from './transition.ts';

/**
 * Expires those of the payments whose deadline has passed by the clock and that too little money was seen for. One conditional
 * update decides; payments that are past expiring, or whose deadline was moved, stay as they are.
 */
export async function expirePayments(ctx: Context, ids: readonly string[]): Promise<void> {
  const now = ctx.now();
  // Money that the network saw before the deadline counts, also where the last look at the network was before that.
  await observeNetworksOf(ctx, ids);
  const expired = await ctx.db.transaction(async (tx) => {
    const moved = await transition(
      tx,
      ids.map((paymentId) => ({ paymentId, cause: 'deadline_passed' as const })),
      now,
    );
    await sendBackOwed(
      tx,
      moved.map(({ id }) => id),
      now,
    );
    await finish(tx, expirePayment, ids, now);
    return moved;
  });
  for (const { id, exceptions } of expired) ctx.log.info('payment EXPIRED', { payment_id: id, exceptions });
}
