import { dateRange } from '../../../platform/date-range.ts';
import { run, runOne, sql, type Connection, type Statement } from '../../../platform/postgres/db.ts';
import type { Placeholders } from '../../../platform/postgres/sql.ts';
import { ApiError, ValidationError } from '../../../platform/errors.ts';
import { firstIdAt, isId } from '../../../platform/values/ids.ts';
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

const COLUMNS = `id, event_id, type, payment_id, sequence, status, failed_because, attempts, next_attempt_at,
     created_at, finished_at`;
const DEFAULT_LIMIT = 20;

/** One page of a merchant's deliveries, newest first. Throws ValidationError for a cursor of another list. */
export async function listDeliveries(
  connection: Connection,
  merchantId: string,
  query: ListDeliveriesQuery,
): Promise<DeliveryList> {
  const limit = query.limit ?? DEFAULT_LIMIT;
  const [from, until] = dateRange(query);
  const rows = await run(connection, pageOfDeliveries(query, { from, until }), {
    merchantId,
    paymentId: query.payment_id,
    eventId: query.event_id,
    types: query.type,
    fromId: from === null ? undefined : firstIdAt('dlv', from),
    untilId: until === null ? undefined : firstIdAt('dlv', until),
    beforeId: query.cursor === undefined ? undefined : parseCursor(query.cursor),
    limit: limit + 1,
  });
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const hasMore = rows.length > limit;
  return {
    data: shown.map(toResource),
    pagination: {
      limit,
      has_more: hasMore,
      next_cursor: hasMore && last !== undefined ? formatCursor(last) : null,
    },
  };
}

interface PageParams {
  readonly merchantId: string;
  readonly paymentId: string | undefined;
  readonly eventId: string | undefined;
  readonly types: readonly string[] | undefined;
  readonly fromId: string | undefined;
  readonly untilId: string | undefined;
  /** The last delivery of the page before. */
  readonly beforeId: string | undefined;
  readonly limit: number;
}

/**
 * The statement for the filters that are given: one for each combination. A payment's deliveries are few and
 * have their own index (deliveries_of_payment), which serves an event's as well. A time range is a range of
 * ids, which hold their event's time. Failed deliveries are rare, so they have an index (deliveries_failed),
 * which Postgres only uses where the text says `failed`. The other filters narrow a walk down the index
 * deliveries_newest.
 */
function pageOfDeliveries(
  query: ListDeliveriesQuery,
  { from, until }: { from: Date | null; until: Date | null },
): Statement<DeliveryRow, PageParams> {
  const statuses = DELIVERY_STATUSES.filter((status) => query.status?.includes(status));
  const filters: readonly [name: string, isGiven: boolean, text: (p: Placeholders<PageParams>) => string][] =
    [
      ['merchant', true, (p) => `merchant_id = ${p.merchantId}`],
      ['payment', query.payment_id !== undefined, (p) => `payment_id = ${p.paymentId}`],
      [
        'event',
        query.event_id !== undefined,
        (p) => `event_id = ${p.eventId}
     AND payment_id = (SELECT payment_id FROM events WHERE id = ${p.eventId})`,
      ],
      [statuses.join('_'), query.status !== undefined, () => `status IN ('${statuses.join("', '")}')`],
      ['type', query.type !== undefined, (p) => `type = ANY (${p.types})`],
      ['from', from !== null, (p) => `id >= ${p.fromId}`],
      ['until', until !== null, (p) => `id < ${p.untilId}`],
      ['before', query.cursor !== undefined, (p) => `id < ${p.beforeId}`],
    ];
  const given = filters.filter(([, isGiven]) => isGiven);
  return sql<DeliveryRow, PageParams>(
    `page_of_deliveries_${given.map(([name]) => name).join('_')}`,
    (p) => `
   SELECT ${COLUMNS} FROM deliveries
   WHERE ${given.map(([, , text]) => text(p)).join(' AND ')}
   ORDER BY id DESC LIMIT ${p.limit}`,
  );
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

interface DeliveryParams {
  readonly id: string;
  readonly merchantId: string;
}

const deliveryOfMerchant = sql<DeliveryRow, DeliveryParams>(
  'delivery_of_merchant',
  (p) => `
   SELECT ${COLUMNS} FROM deliveries WHERE id = ${p.id} AND merchant_id = ${p.merchantId}`,
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
  if (row === null) throw new ApiError('delivery_not_found');
  return row;
}

function toResource(row: DeliveryRow): Delivery {
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

function formatCursor({ id }: DeliveryRow): string {
  return Buffer.from(id).toString('base64url');
}

function parseCursor(cursor: string): string {
  const id = Buffer.from(cursor, 'base64url').toString();
  if (!isId('dlv', id)) throw new ValidationError('cursor', 'format', 'is not a next_cursor of this list');
  return id;
}
