import type { CoinId } from '../../chain/coins.ts';
import type { NetworkId } from '../../chain/networks.ts';
import { groupBy, run, sql, type Connection, type Tx } from '../../../platform/postgres/db.ts';
import { asWritten, compare, isZero, subtract, sum } from '../../../platform/values/money.ts';
import { ensureScheduled } from '../../schedule/store.ts';
import { convertedEntries, settledEntry, type LedgerEntry } from '../ledger/ledger.ts';
import { sellPayment } from '../lifecycle/jobs.ts';
import { jobOf, type Payment } from '../lifecycle/payment.ts';
import type { Changes } from '../lifecycle/transition.ts';
import { IS_OPEN_SALE, IS_UNSOLD } from './states.ts';
import { beginSales, type SaleKey } from './store.ts';

const withWork = sql<{ payment_id: string }, { paymentIds: readonly string[] }>(
  'payments_with_open_sales',
  (p) => `
    SELECT DISTINCT s.payment_id FROM sales s
    WHERE s.payment_id = ANY (${p.paymentIds}) AND ${IS_OPEN_SALE('s')}`,
);

/** Begins the sales of conversions whose payments are locked, or goes on with them. */
export async function openSales(
  tx: Tx,
  begun: readonly { readonly payment: Payment; readonly conversion: SaleKey }[],
  now: Date,
): Promise<void> {
  if (begun.length === 0) return;
  const byId = new Map(begun.map(({ payment }) => [payment.id, payment]));
  await beginSales(
    tx,
    begun.map(({ payment: { merchant_id }, conversion: { payment_id, number } }) => ({
      payment_id,
      number,
      merchant_id,
    })),
    now,
  );
  const open = await run(tx, withWork, { paymentIds: [...byId.keys()] });
  await ensureScheduled(
    tx,
    open.flatMap(({ payment_id }) => {
      const payment = byId.get(payment_id);
      return payment === undefined ? [] : [jobOf(sellPayment, payment, now)];
    }),
  );
}

/** A sale that has ended: of the amount, `kept` stayed as it came, and the rest became `settled`. */
export interface EndedSale extends SaleKey {
  readonly coin: CoinId;
  readonly network: NetworkId;
  readonly amount: string;
  /** In pay_currency, without the fee. */
  readonly settled: string;
  readonly kept: string;
  readonly as_received: boolean;
}

/** True for a sale to which nothing came: its conversion did not happen. */
export const isLostSale = ({ settled, kept }: Pick<EndedSale, 'settled' | 'kept'>): boolean =>
  isZero(settled) && isZero(kept);

const endedSales = sql<EndedSale, { paymentIds: readonly string[] }>(
  'ended_sales_of_payments',
  (p) => `
    SELECT s.payment_id, s.number, c.coin, c.network, c.amount, c.settled, c.kept, s.as_received
    FROM sales s JOIN conversions c USING (payment_id, number)
    WHERE s.payment_id = ANY (${p.paymentIds}) AND NOT ${IS_UNSOLD('s')}
    ORDER BY s.payment_id, s.number`,
);

/** Returns the sales of payments that have ended, by payment. */
export async function readEndedSales(
  connection: Connection,
  paymentIds: readonly string[],
): Promise<ReadonlyMap<string, EndedSale[]>> {
  if (paymentIds.length === 0) return new Map();
  return groupBy(await run(connection, endedSales, { paymentIds }), ({ payment_id }) => payment_id);
}

/** Returns the entries of a sale. */
export function saleEntries({ id, pay_currency, pay_network }: Payment, sale: EndedSale): LedgerEntry[] {
  const { coin, network, amount, settled, kept } = sale;
  const sold = subtract(amount, kept);
  return [
    ...convertedEntries(
      id,
      { coin, network, amount: sold },
      { coin: pay_currency, network: pay_network, amount: settled },
    ),
    settledEntry(id, { coin, network, amount: kept }),
  ];
}

type Settled = Pick<
  Changes,
  'settlement_mode' | 'settlement_coin' | 'settlement_network' | 'settlement_amount'
>;

/**
 * Returns what a payment whose sales have ended says of its settlement: the proceeds without the fee. Where a
 * person has let money stay as it came, that is no settlement coin: then the coin that came, or none where
 * some was sold. What was too small to be sold is not counted.
 */
export function settledBySales(payment: Payment, sales: readonly EndedSale[]): Settled {
  const isSettled = ({ coin }: EndedSale) => coin === payment.pay_currency;
  const amount = sum(sales.map((sale) => (isSettled(sale) ? sale.kept : sale.settled)));
  const asReceived = sales.filter((sale) => sale.as_received && !isSettled(sale) && !isZero(sale.kept));
  if (asReceived.length === 0) return { settlement_amount: asWritten(amount, payment.pay_amount) };
  const [first] = asReceived;
  const isOne = (sale: EndedSale) => sale.coin === first?.coin && sale.network === first.network;
  const isAlone = compare(amount, '0') === 0 && asReceived.every(isOne);
  return {
    settlement_mode: 'as_received',
    settlement_coin: isAlone ? (first?.coin ?? null) : null,
    settlement_network: isAlone ? (first?.network ?? null) : null,
    settlement_amount: isAlone
      ? asWritten(sum(asReceived.map(({ kept }) => kept)), payment.crypto_amount)
      : null,
  };
}
