import { finish } from '../../schedule/store.ts';
import type { Context } from '../../../platform/context.ts';
import { requotePayment } from '../lifecycle/jobs.ts';
import { lockPayments, readPayments } from '../lifecycle/store.ts';
import { canRequote, requoteExpired, scheduleRequote } from '../pricing/quotes.ts';
import { syncNetworksOf, type SyncAdapters } from './sync-network.ts';

/**
 * Quotes those of the payments again whose rate lock has ended and that no money was seen for. Once money was seen, all of a payment's
 * money counts at the rates as they were then.
 */
export async function requotePayments(
  ctx: Context,
  adapters: SyncAdapters,
  ids: readonly string[],
): Promise<void> {
  const now = ctx.now();
  const unpaid = (await readPayments(ctx.db, ids)).filter((payment) => canRequote(payment, now));
  // Money that the network saw before this counts at the old rate, also where the last sync was before that.
  await syncNetworksOf(
    ctx,
    adapters,
    unpaid.map(({ id }) => id),
  );
  const rates = await adapters.rates();
  await ctx.db.transaction(async (tx) => {
    const open = (await lockPayments(tx, ids)).filter((payment) => canRequote(payment, now));
    await requoteExpired(tx, open, rates, now);
    await scheduleRequote(tx, open);
    await finish(tx, requotePayment, ids, now);
  });
}
