import { createHash } from 'node:crypto';
import type { OrderFill } from '../../exchange/port.ts';
import { run, runOne, sql, type Connection, type Tx } from '../../../platform/postgres/db.ts';
import { IS_IN_DOUBT, type OrderStatus } from './states.ts';
import { lockSale, type SaleKey } from './store.ts';

/** An order of a sale, as it was stored before it was sent. */
export interface Order {
  readonly attempt: number;
  readonly client_id: string;
  readonly deadline: Date;
  readonly status: OrderStatus;
  /** The exchange's own id: it has taken the order. Null: not known. */
  readonly exchange_id: string | null;
  readonly sold: string;
  readonly proceeds: string;
  readonly fee: string;
}

const ordersOfSale = sql<Order, { paymentId: string; number: number }>(
  'orders_of_sale',
  (p) => `
    SELECT attempt, client_id, deadline, status, exchange_id, sold, proceeds, fee FROM sale_orders
    WHERE payment_id = ${p.paymentId} AND number = ${p.number} ORDER BY attempt`,
);

/** Returns the orders of a sale, the first one first. */
export async function readOrders(
  connection: Connection,
  { payment_id: paymentId, number }: SaleKey,
): Promise<Order[]> {
  return run(connection, ordersOfSale, { paymentId, number });
}

/**
 * Returns the id of an attempt of a sale, always the same: a UUID of version 8, made of a hash. Kraken takes
 * no longer text.
 */
export function clientIdOf({ payment_id, number }: SaleKey, attempt: number): string {
  const hex = createHash('sha256').update(`sale ${payment_id}/${number}/${attempt}`).digest('hex');
  const [a, b, c, d, e] = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(13, 16),
    hex.slice(17, 20),
    hex.slice(20, 32),
  ];
  return `${a}-${b}-8${c}-8${d}-${e}`;
}

interface NewOrder {
  readonly attempt: number;
  readonly clientId: string;
  readonly pair: string;
  readonly volume: string;
  readonly limit: string;
  readonly deadline: Date;
}

// Of two runs that come at once the second inserts nothing, and sends nothing.
const insertOrder = sql<{ attempt: number }, NewOrder & { paymentId: string; number: number }>(
  'insert_sale_order',
  (p) => `
    INSERT INTO sale_orders (payment_id, number, attempt, client_id, pair, volume, price_limit, deadline,
      status)
    VALUES (${p.paymentId}, ${p.number}, ${p.attempt}, ${p.clientId}, ${p.pair}, ${p.volume}, ${p.limit},
      ${p.deadline}, 'SENT')
    ON CONFLICT DO NOTHING RETURNING attempt`,
);

/**
 * Stores an order before it is sent. False: another run stored one, or a person has decided otherwise; then
 * it must not be sent.
 */
export async function storeOrder(tx: Tx, sale: SaleKey, order: NewOrder): Promise<boolean> {
  const locked = await lockSale(tx, sale);
  if (locked === null || locked.as_received) return false;
  const { payment_id: paymentId, number } = sale;
  return (await runOne(tx, insertOrder, { paymentId, number, ...order })) !== null;
}

const acceptOrder = sql<never, { clientId: string; exchangeId: string }>(
  'accept_sale_order',
  (p) => `
    UPDATE sale_orders o SET exchange_id = ${p.exchangeId}
    WHERE o.client_id = ${p.clientId} AND ${IS_IN_DOUBT('o')}`,
);

/** Records that the exchange has taken an order. */
export async function markTaken(
  connection: Connection,
  { client_id: clientId }: Pick<Order, 'client_id'>,
  exchangeId: string,
): Promise<void> {
  await run(connection, acceptOrder, { clientId, exchangeId });
}

interface OrderEnd {
  readonly clientId: string;
  readonly status: OrderStatus;
  readonly exchangeId: string | null;
  readonly sold: string;
  readonly proceeds: string;
  readonly fee: string;
  readonly error: string | null;
  readonly now: Date;
}

const endStoredOrder = sql<never, OrderEnd>(
  'end_sale_order',
  (p) => `
    UPDATE sale_orders o SET status = ${p.status}, exchange_id = ${p.exchangeId}, sold = ${p.sold},
      proceeds = ${p.proceeds}, fee = ${p.fee}, error = ${p.error}, ended_at = ${p.now}
    WHERE o.client_id = ${p.clientId} AND ${IS_IN_DOUBT('o')}`,
);

/** Records what an order sold. */
export async function endOrder(
  connection: Connection,
  { client_id: clientId }: Pick<Order, 'client_id'>,
  { exchangeId, sold, proceeds, fee }: OrderFill,
  now: Date,
): Promise<void> {
  const end = { clientId, status: 'ENDED', exchangeId, sold, proceeds, fee, error: null, now } as const;
  await run(connection, endStoredOrder, end);
}

/** Records that the exchange has not taken an order, and never will. */
export async function voidOrder(
  connection: Connection,
  { client_id: clientId }: Pick<Order, 'client_id'>,
  error: string,
  now: Date,
): Promise<void> {
  const nothing = { exchangeId: null, sold: '0', proceeds: '0', fee: '0' };
  await run(connection, endStoredOrder, { clientId, status: 'VOID', ...nothing, error, now });
}
