import { isExpired, isOpen, isProcessing, isRefunded, type Status } from '../payments/lifecycle/states.ts';
import { run, runOne, sql, type Connection, type Tx } from '../../platform/postgres/db.ts';
import { compare, isZero } from '../../platform/values/money.ts';
import { lockTill } from './store.ts';

/** A sale of a till as its lists show it. */
export interface Sale {
  readonly number: number;
  /** As it was typed, in the till's currency. */
  readonly amount: string;
  readonly created_at: Date;
  /** The close that counts it; null: none yet; 0: none ever does. */
  readonly close_number: number | null;
  /** Null, as all below: the payment could not be created. */
  readonly payment_id: string | null;
  readonly token_id: string | null;
  readonly status: Status | null;
  readonly fully_funded: boolean | null;
  readonly pay_amount: string | null;
  readonly amount_received: string | null;
  readonly cancelled_at: Date | null;
  readonly settled_at: Date | null;
}

/**
 * What a sale's list says of it. `paid`: confirmed in full; `seen`: enough money was seen, and may still be
 * lost; `part`: too little money came, and the time for it may be over; `beside`: enough came, and has not
 * paid for it, because it was late or could not be converted; `lost`: it was seen, and is in no block.
 */
export type SaleState =
  | 'none'
  | 'open'
  | 'part'
  | 'seen'
  | 'paid'
  | 'over'
  | 'cancelled'
  | 'beside'
  | 'lost'
  | 'returned';

export function saleStateOf(sale: Sale): SaleState {
  const { status } = sale;
  if (status === null) return 'none';
  if (isRefunded(status)) return 'returned';
  if (isProcessing(status) || sale.settled_at !== null) return 'paid';
  const received = sale.amount_received ?? '0';
  if (isOpen(status) && sale.fully_funded === true) return 'seen';
  if (!isZero(received)) {
    const isEnough = !isOpen(status) && compare(received, sale.pay_amount ?? '0') >= 0;
    return isEnough ? 'beside' : 'part';
  }
  if (isOpen(status)) return 'open';
  if (!isExpired(status)) return 'lost';
  return sale.cancelled_at === null ? 'over' : 'cancelled';
}

const SALE = `s.number, s.amount, s.created_at, s.close_number, s.payment_id, p.token_id, p.status,
      p.fully_funded, p.pay_amount, p.amount_received::text, p.cancelled_at, p.settled_at`;

const saleOfTill = sql<Sale, { tillId: string; number: number }>(
  'sale_of_till',
  (p) => `
    SELECT ${SALE} FROM till_sales s LEFT JOIN payments p ON p.id = s.payment_id
    WHERE s.till_id = ${p.tillId} AND s.number = ${p.number}`,
);

/** Returns a sale of a till; null: it has none of that number. */
export async function findSale(connection: Connection, tillId: string, number: number): Promise<Sale | null> {
  return runOne(connection, saleOfTill, { tillId, number });
}

// Index: till_sales_uncounted.
const uncounted = sql<Sale, { tillId: string; limit: number }>(
  'uncounted_sales_of_till',
  (p) => `
    SELECT ${SALE} FROM (
      SELECT * FROM till_sales WHERE till_id = ${p.tillId} AND close_number IS NULL
      ORDER BY number DESC LIMIT ${p.limit}
    ) s LEFT JOIN payments p ON p.id = s.payment_id
    ORDER BY s.number DESC`,
);

/** Returns the latest sales that no close has counted, newest first. */
export async function listUncounted(connection: Connection, tillId: string, limit: number): Promise<Sale[]> {
  return run(connection, uncounted, { tillId, limit });
}

// Index: till_sales_of_close.
const salesOfClose = sql<Sale, { tillId: string; number: number; limit: number }>(
  'sales_of_close',
  (p) => `
    SELECT ${SALE} FROM till_sales s LEFT JOIN payments p ON p.id = s.payment_id
    WHERE s.till_id = ${p.tillId} AND s.close_number = ${p.number} AND s.close_number > 0
    ORDER BY s.number LIMIT ${p.limit}`,
);

/** Returns the sales that a close has counted, in their order. */
export async function listSalesOfClose(
  connection: Connection,
  tillId: string,
  { number, limit }: { number: number; limit: number },
): Promise<Sale[]> {
  return run(connection, salesOfClose, { tillId, number, limit });
}

/** A sale that was typed: its number is for good, its payment may be still to come. */
export interface Typed {
  readonly number: number;
  readonly amount: string;
  readonly payment_id: string | null;
}

const ofNonce = sql<Typed, { tillId: string; nonce: string }>(
  'sale_of_nonce',
  (p) => `
    SELECT number, amount, payment_id FROM till_sales WHERE till_id = ${p.tillId} AND nonce = ${p.nonce}`,
);
const takeNumber = sql<{ sales: number }, { tillId: string }>(
  'take_number_of_till',
  (p) => `UPDATE tills SET sales = sales + 1 WHERE id = ${p.tillId} RETURNING sales`,
);
const insertSale = sql<
  never,
  { tillId: string; number: number; nonce: string; deviceId: string; amount: string; now: Date }
>(
  'insert_sale',
  (p) => `
    INSERT INTO till_sales (till_id, number, nonce, device_id, amount, created_at)
    VALUES (${p.tillId}, ${p.number}, ${p.nonce}, ${p.deviceId}, ${p.amount}, ${p.now})`,
);

/**
 * Writes a sale down under the next number of its till, or returns the one that has this nonce already: the
 * device sends it again where it got no answer.
 */
export async function typeSale(
  tx: Tx,
  tillId: string,
  sale: { nonce: string; deviceId: string; amount: string; now: Date },
): Promise<Typed> {
  await lockTill(tx, tillId);
  const known = await runOne(tx, ofNonce, { tillId, nonce: sale.nonce });
  if (known !== null) return known;
  const taken = await runOne(tx, takeNumber, { tillId });
  if (taken === null) throw new Error(`till ${tillId} does not exist`);
  await run(tx, insertSale, { tillId, number: taken.sales, ...sale });
  return { number: taken.sales, amount: sale.amount, payment_id: null };
}

const setPayment = sql<{ number: number }, { tillId: string; number: number; paymentId: string }>(
  'set_payment_of_sale',
  (p) => `
    UPDATE till_sales SET payment_id = ${p.paymentId}
    WHERE till_id = ${p.tillId} AND number = ${p.number} AND payment_id IS NULL AND close_number IS NULL
    RETURNING number`,
);

/** Gives a sale its payment, in the transaction that stores that; false: it has one, or can have none. */
export async function takeSale(
  tx: Tx,
  sale: { tillId: string; number: number },
  paymentId: string,
): Promise<boolean> {
  return (await runOne(tx, setPayment, { ...sale, paymentId })) !== null;
}
