import { finish, schedule } from '../../schedule/store.ts';
import { addSeconds } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import { requotePayment } from '../lifecycle/jobs.ts';
import { jobOf } from '../lifecycle/payment.ts';
import { lockPayments, readPayments } from '../lifecycle/store.ts';
import { readPrices } from '../pricing/market.ts';
import { canRequote, requoteExpired } from '../pricing/quotes.ts';
import { scheduleRequote } from '../pricing/schedule-requote.ts';
import { awaitScan } from '../sync/await-scan.ts';
import type { SyncAdapters } from '../sync/sync-network.ts';

/** A market that is away is asked again after this long. */
const WAIT_SECONDS = 60;

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
  const merchants = short.map(({ merchant_id }) => merchant_id);
  const pricesOf = await readPrices(ctx.db, adapters.rates, merchants, now);
  await ctx.db.transaction(async (tx) => {
    const open = (await lockPayments(tx, ids)).filter((payment) => canRequote(payment, now));
    const waiting = await requoteExpired(tx, open, pricesOf, now);
    await scheduleRequote(
      tx,
      open.filter(({ id }) => !waiting.has(id)),
    );
    await finish(tx, requotePayment, ids, now);
    await schedule(
      tx,
      open
        .filter(({ id }) => waiting.has(id))
        .map((payment) => jobOf(requotePayment, payment, addSeconds(now, WAIT_SECONDS))),
    );
  });
}
