import { chainKey } from '../../chain/chain-key.ts';
import { finish, schedule } from '../../schedule/store.ts';
import type { Context } from '../../../platform/context.ts';
import type { Tx } from '../../../platform/postgres/db.ts';
import { applyQuarantined, expirePayment, settlePayment, syncChain } from '../lifecycle/jobs.ts';
import { testClockOf, type Payment } from '../lifecycle/payment.ts';
import type { PaymentAdapters } from '../lifecycle/ports.ts';
import { lockPayments, readPayments } from '../lifecycle/store.ts';
import { takeQuarantined, type QuarantinedTransfers } from '../lifecycle/quarantine.ts';
import { readPrices, type PricesOf } from '../pricing/market.ts';
import { allAt, type ConfirmedHeights } from '../transfers/confirm.ts';
import { isShort } from '../transfers/decide.ts';
import { applyTransfers, lockConcerned } from '../sync/apply-transfers.ts';

/**
 * Applies what is quarantined of payments, each in one transaction, page by page in the chain's order, as if
 * the syncs had applied it. Throws while that is not possible; everything stays quarantined then.
 */
export async function applyQuarantinedTransfers(
  ctx: Context,
  adapters: Pick<PaymentAdapters, 'rates'>,
  ids: readonly string[],
): Promise<void> {
  const startedAt = ctx.now();
  const merchants = (await readPayments(ctx.db, ids)).map(({ merchant_id }) => merchant_id);
  const pricesOf = await readPrices(ctx.db, adapters.rates, merchants, startedAt);
  for (const id of ids) {
    const moved = await ctx.db.transaction((tx) => applyAll(ctx, tx, id, { startedAt, pricesOf }));
    for (const { status, exceptions } of moved)
      ctx.log.info(`payment ${status}: its transfers were quarantined`, { payment_id: id, exceptions });
  }
}

async function applyAll(
  ctx: Context,
  tx: Tx,
  id: string,
  { startedAt, pricesOf }: { startedAt: Date; pricesOf: PricesOf },
): Promise<Payment[]> {
  const testClock = ctx.testClock?.id ?? null;
  const [payment] = await lockPayments(tx, [id]);
  // Isolated meanwhile: the job belongs to its test clock now, and stays due.
  if (payment !== undefined && payment.test_clock !== testClock) return [];
  const rows = await takeQuarantined(tx, id);
  const moved: Payment[] = [];
  for (const [index, row] of rows.entries()) {
    const transfers = new Map([[id, row.transfers]]);
    const concerned = await lockConcerned(tx, testClock, [id], transfers);
    // A coin that had no price when its transfer came is credited at that of now.
    const ratesOf = (one: Payment) => ({ ...pricesOf(one).rates, ...row.rates });
    const report = {
      ...row,
      ratesOf,
      transfers,
      heights: heightsOf(rows, index),
      finality: ctx.config.finality,
    };
    moved.push(...(await applyTransfers(tx, concerned, report, startedAt)));
  }
  if (rows.length > 0) await scheduleFollowing(tx, id, rows, startedAt);
  await finish(tx, applyQuarantined, [id], startedAt);
  return moved;
}

/**
 * Up to where a row confirms; null: nothing. As on pages, nothing confirms before the last row of a
 * network: a later one may report that a block was replaced.
 */
function heightsOf(rows: readonly QuarantinedTransfers[], index: number): ConfirmedHeights | null {
  const row = rows[index];
  const isLast = !rows.slice(index + 1).some(({ network }) => network === row?.network);
  const height = isLast ? (row?.height ?? null) : null;
  return height === null ? null : allAt(height);
}

/**
 * Schedules the jobs that skipped the payment while its transfers were quarantined, and ended: expiry,
 * settlement, and the syncs of its own chains, which end when no transfer is unconfirmed. Each does nothing
 * when there is nothing to do.
 */
async function scheduleFollowing(
  tx: Tx,
  id: string,
  rows: readonly QuarantinedTransfers[],
  now: Date,
): Promise<void> {
  for (const payment of await lockPayments(tx, [id])) {
    const testClock = testClockOf(payment);
    const networks = testClock === null ? [] : [...new Set(rows.map(({ network }) => network))];
    const merchantId = payment.merchant_id;
    const expiry = { job: expirePayment, key: id, runAt: payment.deadline_at, testClock, merchantId };
    await schedule(tx, [
      ...(isShort(payment) ? [expiry] : []),
      { job: settlePayment, key: id, runAt: now, testClock, merchantId },
      ...networks.map((network) => ({ job: syncChain, key: chainKey(network, id), runAt: now, testClock })),
    ]);
  }
}
