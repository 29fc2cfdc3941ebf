import { finish } from '../../schedule/store.ts';
import type { Context } from '../../../platform/context.ts';
import { expirePayment } from '../lifecycle/jobs.ts';
import { syncNetworksOf } from './sync-network.ts';
import { acceptDueRefunds } from '../refunds/accept-due.ts';
import { transition } from '../lifecycle/transition.ts';

/**
 * Expires those of the payments whose deadline has passed by the clock and that too little money was seen for. One conditional
 * update decides; payments that are past expiring, or whose deadline was moved, stay as they are.
 */
export async function expirePayments(ctx: Context, ids: readonly string[]): Promise<void> {
  const now = ctx.now();
  // Money that the network saw before the deadline counts, also where the last look at the network was before that.
  await syncNetworksOf(ctx, ids);
  const expired = await ctx.db.transaction(async (tx) => {
    const moved = await transition(
      tx,
      ids.map((paymentId) => ({ paymentId, trigger: 'deadline_passed' as const })),
      now,
    );
    await acceptDueRefunds(
      tx,
      moved.map(({ id }) => id),
      now,
    );
    await finish(tx, expirePayment, ids, now);
    return moved;
  });
  for (const { id, exceptions } of expired) ctx.log.info('payment EXPIRED', { payment_id: id, exceptions });
}
