import { run, sql, type Tx } from '../../../platform/postgres/db.ts';
import { subtract, sum } from '../../../platform/values/money.ts';
import { schedule } from '../../schedule/store.ts';
import { settlePayment } from '../lifecycle/jobs.ts';
import { jobOf } from '../lifecycle/payment.ts';
import { lockPayments } from '../lifecycle/store.ts';
import { readOrders } from './orders.ts';
import { IS_HELD_SALE, IS_UNSOLD, isInDoubt } from './states.ts';
import { lockSale, noteSale, type Sale, type SaleNote } from './store.ts';

/** A sale that does not go on for so long is a problem, which its payment shows. */
const PROBLEM_SECONDS = 1_800;

const updateProblem = sql<never, { paymentId: string; since: Date }>(
  'update_settlement_problem',
  (p) => `
    UPDATE payments SET settlement_problem = (
      SELECT s.reason FROM sales s
      WHERE s.payment_id = ${p.paymentId} AND s.reason IS NOT NULL AND ${IS_UNSOLD('s')}
        AND (${IS_HELD_SALE('s')} OR s.since <= ${p.since})
      ORDER BY s.number LIMIT 1)
    WHERE id = ${p.paymentId}`,
);

/** Records how a sale stands, and what its payment says of it. */
export async function note(
  tx: Tx,
  sale: Pick<Sale, 'payment_id' | 'number'>,
  noted: SaleNote,
): Promise<void> {
  await lockPayments(tx, [sale.payment_id]);
  await noteSale(tx, sale, noted);
  await tellProblem(tx, sale.payment_id, noted.now);
}

/** Writes down in a payment why its money is not sold, where its merchant is to know. */
export async function tellProblem(tx: Tx, paymentId: string, now: Date): Promise<void> {
  const since = new Date(now.getTime() - PROBLEM_SECONDS * 1_000);
  await run(tx, updateProblem, { paymentId, since });
}

interface Ended {
  readonly paymentId: string;
  readonly number: number;
  readonly settled: string;
  readonly kept: string;
}

const endStoredSale = sql<never, Ended>(
  'end_sale',
  (p) => `
    WITH ended AS (
      UPDATE sales SET status = 'ENDED', reason = NULL, detail = NULL, since = NULL
      WHERE payment_id = ${p.paymentId} AND number = ${p.number}
    )
    UPDATE conversions SET settled = ${p.settled}, kept = ${p.kept}
    WHERE payment_id = ${p.paymentId} AND number = ${p.number}`,
);

/**
 * Ends a sale with what its orders sold, and lets its payment settle; `isLost`: nothing came. Does nothing
 * where it has ended, or where an order is in doubt again.
 */
export async function endSale(tx: Tx, sale: Sale, now: Date, isLost = false): Promise<void> {
  const [payment] = await lockPayments(tx, [sale.payment_id]);
  if (payment === undefined || (await lockSale(tx, sale)) === null) return;
  const orders = await readOrders(tx, sale);
  if (orders.some(({ status }) => isInDoubt(status))) return;
  const settled = subtract(sum(orders.map(({ proceeds }) => proceeds)), sum(orders.map(({ fee }) => fee)));
  const kept = isLost ? '0' : subtract(sale.amount, sum(orders.map(({ sold }) => sold)));
  await run(tx, endStoredSale, { paymentId: sale.payment_id, number: sale.number, settled, kept });
  await tellProblem(tx, sale.payment_id, now);
  await schedule(tx, [jobOf(settlePayment, payment, now)]);
}
