import { run, runOne, sql, type Connection, type Statement } from '../../../platform/postgres/db.ts';
import { foundOr } from '../../api/errors.ts';
import { isId } from '../../../platform/values/ids.ts';
import { REGISTRATION_IN } from '../endpoints/destination.ts';
import type { Delivery, DeliveryWithAttempts } from './schemas.ts';

export type DeliveryRow = Omit<Delivery, 'next_attempt_at' | 'created_at' | 'finished_at'> & {
  readonly next_attempt_at: Date | null;
  readonly created_at: Date;
  readonly finished_at: Date | null;
};

/** SQL: the columns of a DeliveryRow, of a delivery `d` and its last attempt `a`. */
export const DELIVERY_COLUMNS = `d.id, d.event_id, d.type, d.payment_id,
     ${REGISTRATION_IN('d.endpoint_id')} AS endpoint_id, d.sequence, d.status, d.failed_because,
     d.attempts, d.next_attempt_at, d.created_at, d.finished_at,
     a.status_code AS last_status_code, a.error_class AS last_error`;

/** SQL: joins the last attempt `a` of a delivery `d`, by the primary key. */
export const LAST_ATTEMPT = `LEFT JOIN delivery_attempts a ON a.delivery_id = d.id AND a.number = d.attempts`;

interface AttemptRow {
  readonly number: number;
  readonly started_at: Date;
  readonly url: string;
  readonly remote_address: string | null;
  readonly status_code: number | null;
  readonly duration_ms: number;
  readonly error_class: DeliveryWithAttempts['log'][number]['error'];
  readonly error_detail: string | null;
  readonly response_excerpt: string | null;
  readonly next_attempt_at: Date | null;
}

interface DeliveryParams {
  readonly id: string;
  readonly merchantId: string;
}

const deliveryOfMerchant = sql<DeliveryRow, DeliveryParams>(
  'delivery_of_merchant',
  (p) => `
   SELECT ${DELIVERY_COLUMNS} FROM deliveries d ${LAST_ATTEMPT}
   WHERE d.id = ${p.id} AND d.merchant_id = ${p.merchantId}`,
);
const attemptsOfDelivery = sql<AttemptRow, { deliveryId: string }>(
  'attempts_of_delivery',
  (p) => `
   SELECT number, started_at, url, remote_address, status_code, duration_ms, error_class, error_detail,
     response_excerpt, next_attempt_at
   FROM delivery_attempts WHERE delivery_id = ${p.deliveryId} ORDER BY number`,
);

/** A delivery with every attempt. Throws ApiError delivery_not_found, also for another merchant's. */
export async function getDelivery(
  connection: Connection,
  merchantId: string,
  id: string,
): Promise<DeliveryWithAttempts> {
  const delivery = await readDelivery(connection, deliveryOfMerchant, { id, merchantId });
  const attempts = await run(connection, attemptsOfDelivery, { deliveryId: id });
  const log = attempts.map(toAttempt);
  const last = log.at(-1);
  // What was planned after the last attempt of a delivery that has ended since does not happen.
  if (last !== undefined && delivery.status !== 'pending') last.next_attempt_at = null;
  return { ...toResource(delivery), log };
}

/**
 * The row of a merchant's delivery. Throws ApiError delivery_not_found, also where `id` is no delivery's id.
 */
export async function readDelivery<Row>(
  connection: Connection,
  statement: Statement<Row, DeliveryParams>,
  params: DeliveryParams,
): Promise<Row> {
  const row = isId('dlv', params.id) ? await runOne(connection, statement, params) : null;
  return foundOr('delivery_not_found', row);
}

/** The API resource of a delivery. */
export function toResource(row: DeliveryRow): Delivery {
  return {
    ...row,
    next_attempt_at: row.next_attempt_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    finished_at: row.finished_at?.toISOString() ?? null,
  };
}

function toAttempt(row: AttemptRow): DeliveryWithAttempts['log'][number] {
  return {
    number: row.number,
    at: row.started_at.toISOString(),
    url: row.url,
    address: row.remote_address,
    status_code: row.status_code,
    duration_ms: row.duration_ms,
    error: row.error_class,
    error_detail: row.error_detail,
    response_excerpt: row.response_excerpt,
    next_attempt_at: row.next_attempt_at?.toISOString() ?? null,
  };
}
