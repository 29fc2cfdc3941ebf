import { finish } from '../../schedule/store.ts';
import type { Context } from '../../../platform/context.ts';
import { requotePayment } from '../lifecycle/jobs.ts';
import { lockPayments, readPayments } from '../lifecycle/store.ts';
import { canRequote, requoteExpired, scheduleRequote } from '../pricing/quotes.ts';
import { awaitScan } from '../sync/await-scan.ts';
import type { SyncAdapters } from '../sync/sync-network.ts';

/**
 * Quotes again what the payments miss whose rate lock has ended, whether or not money has come: a small part
 * must not hold a price.
 */
export async function requotePayments(
  ctx: Context,
  adapters: SyncAdapters,
  asked: readonly string[],
): Promise<void> {
  const now = ctx.now();
  const short = (await readPayments(ctx.db, asked)).filter((payment) => canRequote(payment, now));
  // Money that the network saw before now counts at the old rate, even when the last sync was earlier.
  const { isRead } = await awaitScan(
    ctx,
    adapters,
    requotePayment,
    short.map(({ id }) => id),
  );
  const ids = asked.filter(isRead);
  const rates = await adapters.rates();
  await ctx.db.transaction(async (tx) => {
    const open = (await lockPayments(tx, ids)).filter((payment) => canRequote(payment, now));
    await requoteExpired(tx, open, rates, now);
    await scheduleRequote(tx, open);
    await finish(tx, requotePayment, ids, now);
  });
}
