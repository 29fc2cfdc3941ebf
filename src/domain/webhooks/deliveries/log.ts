import { dateRange } from '../../../platform/date-range.ts';
import { run, sql, type Connection, type Statement } from '../../../platform/postgres/db.ts';
import { ApiError, ValidationError } from '../../../platform/errors.ts';
import { decodeCursor, encodeCursor } from '../../../platform/values/cursors.ts';
import { firstIdAt, idPattern, isId } from '../../../platform/values/ids.ts';
import {
  DELIVERY_STATUSES,
  type Delivery,
  type DeliveryList,
  type DeliveryWithAttempts,
  type ListDeliveriesQuery,
} from './schemas.ts';

type DeliveryRow = Omit<Delivery, 'next_attempt_at' | 'created_at' | 'finished_at'> & {
  readonly next_attempt_at: Date | null;
  readonly created_at: Date;
  readonly finished_at: Date | null;
};

const COLUMNS =
  'id, event_id, type, payment_id, sequence, status, failed_because, attempts, next_attempt_at, created_at, finished_at';

/** One page of a merchant's deliveries, newest first. Throws ValidationError for a cursor that is none of this list. */
export async function listDeliveries(
  connection: Connection,
  merchantId: string,
  query: ListDeliveriesQuery,
): Promise<DeliveryList> {
  const limit = query.limit ?? 20;
  const { statement, values } = pageOfDeliveries(merchantId, query, limit + 1);
  const rows = await run(connection, statement, values);
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const hasMore = rows.length > limit;
  return {
    data: shown.map(toResource),
    pagination: {
      limit,
      has_more: hasMore,
      next_cursor: hasMore && last !== undefined ? encodeCursor([last.id]) : null,
    },
  };
}

/**
 * The statement for the filters that are given, and its values. A payment's deliveries are few and have their own index, through which
 * an event's is found as well. A range of time is one of ids, which hold their event's. What failed is rare, so it has an index, which
 * Postgres only uses where the statement itself says `failed`; the other filters narrow a walk down the newest-first index.
 */
function pageOfDeliveries(
  merchantId: string,
  query: ListDeliveriesQuery,
  limit: number,
): { statement: Statement<DeliveryRow>; values: unknown[] } {
  const [from, until] = dateRange(query);
  const values: unknown[] = [];
  const place = (value: unknown) => `$${values.push(value)}`;
  const filters: Record<string, string> = { merchant: `merchant_id = ${place(merchantId)}` };
  if (query.payment_id !== undefined) filters.payment = `payment_id = ${place(query.payment_id)}`;
  if (query.event_id !== undefined) {
    const event = place(query.event_id);
    filters.event = `event_id = ${event} AND payment_id = (SELECT payment_id FROM events WHERE id = ${event})`;
  }
  if (query.status !== undefined) {
    const statuses = DELIVERY_STATUSES.filter((status) => query.status?.includes(status));
    filters[statuses.join('_')] = `status IN (${statuses.map((status) => `'${status}'`).join(', ')})`;
  }
  if (query.type !== undefined) filters.type = `type = ANY (${place(query.type)})`;
  if (from !== null) filters.from = `id >= ${place(firstIdAt('dlv', from))}`;
  if (until !== null) filters.until = `id < ${place(firstIdAt('dlv', until))}`;
  if (query.cursor !== undefined) filters.after = `id < ${place(parseCursor(query.cursor))}`;
  const statement = sql<DeliveryRow>(
    `page_of_deliveries_${Object.keys(filters).join('_')}`,
    `SELECT ${COLUMNS} FROM deliveries WHERE ${Object.values(filters).join(' AND ')} ORDER BY id DESC LIMIT ${place(limit)}`,
  );
  return { statement, values };
}

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

const deliveryOfMerchant = sql<DeliveryRow>(
  'delivery_of_merchant',
  `SELECT ${COLUMNS} FROM deliveries WHERE id = $1 AND merchant_id = $2`,
);
const attemptsOfDelivery = sql<AttemptRow>(
  'attempts_of_delivery',
  `SELECT * FROM delivery_attempts WHERE delivery_id = $1 ORDER BY number`,
);

/** A delivery with every attempt. Throws ApiError not_found for one that does not exist, or is another merchant's. */
export async function getDelivery(
  connection: Connection,
  merchantId: string,
  id: string,
): Promise<DeliveryWithAttempts> {
  const [delivery] = isId('dlv', id) ? await run(connection, deliveryOfMerchant, [id, merchantId]) : [];
  if (delivery === undefined) throw new ApiError('delivery_not_found');
  const attempts = await run(connection, attemptsOfDelivery, [id]);
  return {
    ...toResource(delivery),
    log: attempts.map((attempt) => ({
      number: attempt.number,
      at: attempt.started_at.toISOString(),
      url: attempt.url,
      address: attempt.remote_address,
      status_code: attempt.status_code,
      duration_ms: attempt.duration_ms,
      error: attempt.error_class,
      error_detail: attempt.error_detail,
      response_excerpt: attempt.response_excerpt,
      next_attempt_at: attempt.next_attempt_at?.toISOString() ?? null,
    })),
  };
}

function toResource(row: DeliveryRow): Delivery {
  return {
    ...row,
    next_attempt_at: row.next_attempt_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    finished_at: row.finished_at?.toISOString() ?? null,
  };
}

function parseCursor(cursor: string): string {
  const position = decodeCursor(cursor, { id: idPattern('dlv') });
  if (position === null) throw new ValidationError('cursor', 'format', 'is not a next_cursor of this list');
  return position.id;
}
