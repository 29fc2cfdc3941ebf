import { finish } from '../../schedule/store.ts';
import type { Context } from '../../../platform/context.ts';
import { transact } from '../../../platform/postgres/transactions/transact.ts';
import { expirePayment } from '../lifecycle/jobs.ts';
import { transition } from '../lifecycle/transition.ts';
import { acceptDueRefunds } from '../refunds/due.ts';
import { syncNetworksOf } from './shared-sync.ts';
import type { SyncAdapters } from './sync-network.ts';

/**
 * Expires the payments whose deadline has passed and that are not fully funded. One conditional update
 * decides; payments that can no longer expire, or whose deadline was moved, stay unchanged.
 */
export async function expirePayments(
  ctx: Context,
  adapters: SyncAdapters,
  ids: readonly string[],
): Promise<void> {
  const now = ctx.now();
  // Money that the network saw before the deadline counts, even when the last sync was earlier.
  await syncNetworksOf(ctx, adapters, ids);
  const expired = await transact(ctx.db, async (tx) => {
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
