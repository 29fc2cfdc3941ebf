import type { Context } from '../../../platform/context.ts';
import { run, runOne, sql, type Connection } from '../../../platform/postgres/db.ts';
import { recordChange } from '../../audit/record.ts';
import { schedule } from '../../schedule/store.ts';
import type { CoinId } from '../../chain/coins.ts';
import type { NetworkId } from '../../chain/networks.ts';
import type { SaleReason } from '../../exchange/port.ts';
import { sellPayment } from '../lifecycle/jobs.ts';
import { jobOf } from '../lifecycle/payment.ts';
import { lockPayments } from '../lifecycle/store.ts';
import { tellProblem } from './end.ts';
import { IS_HELD_SALE, IS_IN_DOUBT, IS_UNSOLD, OPEN, type SaleStatus } from './states.ts';

/** A sale that has not ended, as operators see it. */
export interface UnsoldSale {
  readonly payment_id: string;
  readonly number: number;
  readonly merchant_id: string;
  readonly status: SaleStatus;
  readonly reason: SaleReason | null;
  /** What the exchange said. */
  readonly detail: string | null;
  readonly coin: CoinId;
  readonly network: NetworkId;
  readonly amount: string;
  /** What its orders have sold by now, and what for. */
  readonly sold: string;
  readonly proceeds: string;
  /** The id of the order whose end is not known; null: none is in doubt. */
  readonly in_doubt: string | null;
  readonly created_at: Date;
  readonly since: Date | null;
}

/** A person reads no more lines; those that wait longest are first. */
const MOST_LISTED = 200;

const UNSOLD = `
    SELECT s.payment_id, s.number, s.merchant_id, s.status, s.reason, s.detail, c.coin, c.network,
      c.amount::text, coalesce(o.sold, 0)::text AS sold, coalesce(o.proceeds, 0)::text AS proceeds,
      o.in_doubt, s.created_at, s.since
    FROM sales s JOIN conversions c USING (payment_id, number) CROSS JOIN LATERAL (
      SELECT sum(sold) AS sold, sum(proceeds) AS proceeds,
        max(client_id) FILTER (WHERE ${IS_IN_DOUBT('sent')}) AS in_doubt
      FROM sale_orders sent WHERE payment_id = s.payment_id AND number = s.number) o`;

// Index: sales_unsold.
const unsoldSales = sql<UnsoldSale, { merchantId: string | null; onlyHeld: boolean }>(
  'list_unsold_sales',
  (p) => `${UNSOLD}
    WHERE ${IS_UNSOLD('s')} AND (${IS_HELD_SALE('s')} OR NOT ${p.onlyHeld}::boolean)
      AND s.merchant_id = coalesce(${p.merchantId}, s.merchant_id)
    ORDER BY s.created_at LIMIT ${MOST_LISTED}`,
);

/** Returns the sales that have not ended, or those of them that wait for a person. */
export async function listUnsold(
  connection: Connection,
  { merchantId, onlyHeld }: { merchantId: string | null; onlyHeld: boolean },
): Promise<UnsoldSale[]> {
  return run(connection, unsoldSales, { merchantId, onlyHeld });
}

// Index: sales_pkey.
const unsoldOfPayment = sql<UnsoldSale, { paymentId: string }>(
  'list_unsold_sales_of_payment',
  (p) => `${UNSOLD} WHERE s.payment_id = ${p.paymentId} AND ${IS_UNSOLD('s')} ORDER BY s.number`,
);

/** Returns the sales of a payment that have not ended. */
export async function listUnsoldOf(connection: Connection, paymentId: string): Promise<UnsoldSale[]> {
  return run(connection, unsoldOfPayment, { paymentId });
}

/** The two doors for a person: what is left is sold after all, or stays as it came. */
export type SaleDecision = 'retry' | 'as_received';

const decideSales = sql<{ count: number }, { paymentId: string; asReceived: boolean }>(
  'decide_sales',
  (p) => `
    WITH decided AS (
      UPDATE sales s SET status = '${OPEN}', reason = NULL, detail = NULL, since = NULL, failures = 0,
        empty_orders = 0, as_received = s.as_received OR ${p.asReceived}
      WHERE s.payment_id = ${p.paymentId} AND ${IS_UNSOLD('s')} RETURNING 1
    )
    SELECT count(*)::int AS count FROM decided`,
);

/**
 * Does what a person has decided about the sales of a payment that have not ended: they are tried again, or
 * what is left of them stays as it came. An order in doubt is looked up first. Returns how many there are.
 */
export async function decideSale(
  ctx: Pick<Context, 'db' | 'now' | 'actor' | 'systemNow'>,
  paymentId: string,
  decision: SaleDecision,
): Promise<number> {
  const now = ctx.now();
  return ctx.db.transaction(async (tx) => {
    const [payment] = await lockPayments(tx, [paymentId]);
    if (payment === undefined) return 0;
    const asReceived = decision === 'as_received';
    const { count = 0 } = (await runOne(tx, decideSales, { paymentId, asReceived })) ?? {};
    if (count === 0) return 0;
    await tellProblem(tx, paymentId, now);
    await schedule(tx, [jobOf(sellPayment, payment, now)]);
    const { merchant_id } = payment;
    await recordChange(ctx, tx, 'sale decided', {
      merchant_id,
      payment_id: paymentId,
      decision,
      sales: count,
    });
    return count;
  });
}
