import { run, runOne, sql, type Connection, type Statement } from '../../../platform/postgres/db.ts';
import { foundOr } from '../../../platform/errors.ts';
import { isId } from '../../../platform/values/ids.ts';
import type { Delivery, DeliveryWithAttempts } from './schemas.ts';

export type DeliveryRow = Omit<Delivery, 'next_attempt_at' | 'created_at' | 'finished_at'> & {
  readonly next_attempt_at: Date | null;
  readonly created_at: Date;
  readonly finished_at: Date | null;
};

/** The columns of a DeliveryRow. */
export const DELIVERY_COLUMNS = `id, event_id, type, payment_id, sequence, status, failed_because, attempts, next_attempt_at,
     created_at, finished_at`;

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
   SELECT ${DELIVERY_COLUMNS} FROM deliveries WHERE id = ${p.id} AND merchant_id = ${p.merchantId}`,
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
  return { ...toResource(delivery), log: attempts.map(toAttempt) };
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
