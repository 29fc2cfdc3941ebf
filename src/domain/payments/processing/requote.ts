import { ratesOf } from '../../chain/rates.ts';
import { finish } from '../../schedule/store.ts';
import type { Context } from '../../../platform/context.ts';
import { requotePayment } from '../lifecycle/jobs.ts';
import { syncNetworksOf } from './sync-network.ts';
import { canRequote, requoteExpired, scheduleRequote } from '../pricing/quotes.ts';
import { lockPayments, readPayments } from '../lifecycle/store.ts';

/**
 * Names the price of those of the payments anew whose rate lock has ended and that no money was seen for. Once money was seen, all
 * of a payment's money counts at the rates as they were then.
 */
export async function requotePayments(ctx: Context, ids: readonly string[]): Promise<void> {
  const now = ctx.now();
  const unpaid = (await readPayments(ctx.db, ids)).filter((payment) => canRequote(payment, now));
  // Money that the network saw before this counts at the old rate, also where the last look at the network was before that.
  await syncNetworksOf(
    ctx,
    unpaid.map(({ id }) => id),
  );
  const rates = await ratesOf(ctx);
  await ctx.db.transaction(async (tx) => {
    const open = (await lockPayments(tx, ids)).filter((payment) => canRequote(payment, now));
    await requoteExpired(tx, open, rates, now);
    await scheduleRequote(tx, open);
    await finish(tx, requotePayment, ids, now);
  });
}
