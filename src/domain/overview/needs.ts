import { isRefundable, paysForOrder, statusesThat } from '../payments/lifecycle/states.ts';
import { IS_HELD, IS_OPEN, IS_UNSIGNED, NEEDS_ADDRESS } from '../payments/refunds/states.ts';
import { IS_DELETED, IS_ON, REGISTRATION } from '../webhooks/endpoints/destination.ts';
import { run, sql, type Connection } from '../../platform/postgres/db.ts';
import type { Placeholders } from '../../platform/postgres/sql.ts';

/** Something of a merchant that waits for a person. */
export interface WaitingItem {
  /** Of the payment, or of the endpoint. */
  readonly id: string;
  /** The payment's order_id, or the endpoint's URL. */
  readonly title: string;
  /** Decimal string, in `coin`; null: it is not about an amount. */
  readonly amount: string | null;
  readonly coin: string | null;
  /** Words of the API: exceptions of the payment, or why the endpoint is disabled. Null: none. */
  readonly reason: string | null;
  readonly since: Date;
}

/** More of a kind are not counted: they do not change what a person does first. */
export const MOST_COUNTED = 100;
/** Payments with money left that are looked at, the newest, in search of those without a refund under way. */
const LOOKED_AT = 1_000;

interface Params {
  readonly merchantId: string;
  readonly limit: number;
}
type Source = (p: Placeholders<Params>) => string;

// Index: refunds_waiting. A range of one merchant: a column that is equal does not count for the order, and a
// walk over the refunds of all merchants by their time would look as good.
const refundsThat =
  (is: string): Source =>
  (p) =>
    `
    SELECT o.id, o.order_id AS title, r.coin_amount AS amount, r.coin, r.reason, r.created_at AS since
    FROM refunds r JOIN payments o ON o.id = r.payment_id
    WHERE r.merchant_id BETWEEN ${p.merchantId} AND ${p.merchantId} AND ${is}
    ORDER BY r.merchant_id DESC, r.created_at DESC LIMIT ${p.limit}`;

// Index: payments_with_money_left. Nothing pays for an order there, and nobody has sent it back yet.
const moneyLeft: Source = (p) => `
    SELECT o.id, o.order_id AS title, (o.amount_received - o.amount_refunded)::text AS amount,
      o.pay_currency AS coin, nullif(array_to_string(o.exceptions, ', '), '') AS reason, o.created_at AS since
    FROM (
      SELECT id, order_id, amount_received, amount_refunded, pay_currency, exceptions, created_at FROM payments
      WHERE merchant_id = ${p.merchantId} AND amount_received > amount_refunded
        AND status IN (${statusesThat((status) => isRefundable(status) && !paysForOrder(status))})
      ORDER BY created_at DESC LIMIT ${LOOKED_AT}
    ) o
    WHERE NOT EXISTS (SELECT FROM refunds r WHERE r.payment_id = o.id AND ${IS_OPEN('r')})
    ORDER BY o.created_at DESC LIMIT ${p.limit}`;

// Index: unapplied_transfers_of_merchant.
const quarantined: Source = (p) => `
    SELECT o.id, o.order_id AS title, NULL AS amount, NULL AS coin, NULL AS reason, min(u.set_aside_at) AS since
    FROM (
      SELECT payment_id, set_aside_at FROM unapplied_transfers
      WHERE merchant_id = ${p.merchantId} LIMIT ${LOOKED_AT}
    ) u JOIN payments o ON o.id = u.payment_id
    GROUP BY o.id ORDER BY since DESC LIMIT ${p.limit}`;

// Index: webhook_endpoints_stopped; the endpoints of a merchant are one range of ids (endpoint-list/list.ts).
const endpoints: Source = (p) => `
    SELECT o.id, NULL AS amount, NULL AS coin, o.disabled_reason AS reason,
      CASE WHEN o.id = m.id THEN m.webhook_url ELSE coalesce(r.url, o.url, o.id) END AS title,
      coalesce(o.disabled_at, o.failing_since, o.last_failure_at, o.created_at) AS since
    FROM webhook_endpoints o JOIN merchants m ON m.id = ${p.merchantId} ${REGISTRATION}
    WHERE o.id >= ${p.merchantId} AND o.id < ${p.merchantId} || '!'
      AND (o.disabled_at IS NOT NULL OR o.circuit_open_until IS NOT NULL)
      AND ${IS_ON} AND NOT ${IS_DELETED}
    ORDER BY since DESC LIMIT ${p.limit}`;

const SOURCES = {
  refund_address: refundsThat(NEEDS_ADDRESS('r')),
  // One that was offered to the signer is the signer's to pay.
  refund_signature: refundsThat(`${IS_UNSIGNED('r')} AND r.offered_at IS NULL`),
  refund_held: refundsThat(IS_HELD('r')),
  money_left: moneyLeft,
  quarantined,
  endpoint: endpoints,
} as const;

/** What waits for a person: a refund without address or signature, or held; money of an ended payment; ... */
export type Need = keyof typeof SOURCES;
export const NEEDS = Object.keys(SOURCES) as Need[];

export interface NeedCount {
  readonly need: Need;
  /** Of more than MOST_COUNTED one more than that. */
  readonly count: number;
}

const countNeeds = sql<NeedCount, Params>('count_needs_of_merchant', (p) =>
  NEEDS.map(
    (need) => `
    SELECT '${need}' AS need, (SELECT count(*)::int FROM (${SOURCES[need](p)}) waiting) AS count`,
  ).join('\n    UNION ALL'),
);

/** Counts what waits for a person of the merchant, in the order of NEEDS; also where nothing does. */
export async function readNeeds(connection: Connection, merchantId: string): Promise<NeedCount[]> {
  return run(connection, countNeeds, { merchantId, limit: MOST_COUNTED + 1 });
}

const waiting = Object.fromEntries(
  NEEDS.map((need) => [need, sql<WaitingItem, Params>(`waiting_${need}`, SOURCES[need])]),
);

/** Returns what waits for a person of one kind, what waits since last first, at most MOST_COUNTED. */
export async function readWaiting(
  connection: Connection,
  merchantId: string,
  need: Need,
): Promise<WaitingItem[]> {
  const statement = waiting[need];
  return statement === undefined ? [] : run(connection, statement, { merchantId, limit: MOST_COUNTED });
}
