import { finish } from '../../schedule/store.ts';
import type { Context } from '../../../platform/context.ts';
import { transact } from '../../../platform/postgres/transactions/transact.ts';
import { endHolds, expirePayment } from '../lifecycle/jobs.ts';
import { lockSyncedPayments } from '../lifecycle/store.ts';
import { transition } from '../lifecycle/transition.ts';
import { acceptDueRefunds } from '../refunds/due.ts';
import { decideLapse } from '../transfers/decide.ts';
import { holdEndOf, lapseTransfers } from '../transfers/hold.ts';
import { readTransfersByPayment } from '../transfers/store.ts';
import { follow } from '../sync/apply-transfers.ts';
import { awaitScan } from '../sync/await-scan.ts';
import type { SyncAdapters } from '../sync/sync-network.ts';

/**
 * Expires the payments whose deadline has passed and that are not fully funded. One conditional update
 * decides; payments that can no longer expire, or whose deadline was moved, stay unchanged.
 */
export async function expirePayments(
  ctx: Context,
  adapters: SyncAdapters,
  asked: readonly string[],
): Promise<void> {
  // Money that the network saw before the deadline counts, even when the last sync was earlier.
  const { isRead, now } = await awaitScan(ctx, adapters, expirePayment, asked);
  const ids = asked.filter(isRead);
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

/**
 * Ends what unmined transfers hold of their payments, where it is time: they have no credit then. A payment
 * that was fully funded by them is short again, and expires if its deadline has passed. Payments with
 * quarantined transfers are skipped: applying these schedules this job again.
 */
export async function endHoldsOf(
  ctx: Context,
  adapters: SyncAdapters,
  asked: readonly string[],
): Promise<void> {
  // What the network has mined by now holds, even when the last sync was earlier.
  const { isRead, now } = await awaitScan(ctx, adapters, endHolds, asked);
  const ids = asked.filter(isRead);
  await transact(ctx.db, async (tx) => {
    await finish(tx, endHolds, ids, now);
    const payments = await lockSyncedPayments(tx, ids);
    const before = await readTransfersByPayment(
      tx,
      payments.map(({ id }) => id),
    );
    const isOver = (end: Date | null) => end !== null && end <= now;
    const lapsed = [...before.values()].flat().filter((transfer) => isOver(holdEndOf(transfer)));
    await lapseTransfers(tx, lapsed, now);
    const after = await readTransfersByPayment(tx, [...before.keys()]);
    const concerned = new Map(
      payments.map((payment) => [
        payment.id,
        { payment, transfers: before.get(payment.id) ?? [], quotes: [] },
      ]),
    );
    const decisions = payments.map((payment) => decideLapse(payment, after.get(payment.id) ?? []));
    await follow(tx, concerned, { decisions, after }, now);
  });
}
