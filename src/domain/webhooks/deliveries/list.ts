import { DEFAULT_LIMIT } from '../../api/schemas.ts';
import { dateRange } from '../../api/date-range.ts';
import { run, sql, type Connection, type Statement } from '../../../platform/postgres/db.ts';
import type { Placeholders } from '../../../platform/postgres/sql.ts';
import { pageOf, parseCursor } from '../../api/pages.ts';
import { firstIdAt, idPattern } from '../../../platform/values/ids.ts';
import { REGISTRATION_IN } from '../endpoints/destination.ts';
import { DELIVERY_COLUMNS, LAST_ATTEMPT, toResource, type DeliveryRow } from './read.ts';
import { DELIVERY_STATUSES, type Delivery, type DeliveryList, type ListDeliveriesQuery } from './schemas.ts';

/** One page of a merchant's deliveries, newest first. Throws ValidationError for a cursor of another list. */
export async function listDeliveries(
  connection: Connection,
  merchantId: string,
  query: ListDeliveriesQuery,
): Promise<DeliveryList> {
  const limit = query.limit ?? DEFAULT_LIMIT;
  const [from, until] = dateRange(query);
  const params: PageParams = {
    merchantId,
    paymentId: query.payment_id,
    eventId: query.event_id,
    endpointId: query.endpoint_id,
    types: query.type,
    fromId: from === null ? undefined : firstIdAt('dlv', from),
    untilId: until === null ? undefined : firstIdAt('dlv', until),
    beforeId: parseCursor(query.cursor, { id: idPattern('dlv') })?.id,
    limit: limit + 1,
  };
  const rows = await run(connection, pageOfDeliveries(params, query.status), params);
  const { shown, pagination } = pageOf(rows, limit, ({ id }) => [id]);
  return { data: shown.map(toResource), pagination };
}

/** A filter that is undefined is not given. */
interface PageParams {
  readonly merchantId: string;
  readonly paymentId: string | undefined;
  readonly eventId: string | undefined;
  readonly endpointId: string | undefined;
  readonly types: readonly string[] | undefined;
  readonly fromId: string | undefined;
  readonly untilId: string | undefined;
  /** The last delivery of the page before. */
  readonly beforeId: string | undefined;
  readonly limit: number;
}

interface Filter {
  readonly name: string;
  readonly param: keyof PageParams;
  readonly condition: (p: Placeholders<PageParams>) => string;
}

/**
 * A payment's deliveries are few and have their own index (deliveries_of_payment), which serves an event's as
 * well. A time range is a range of ids, which hold their event's time. The other filters narrow a walk down
 * the index deliveries_newest.
 */
const FILTERS: readonly Filter[] = [
  { name: 'payment', param: 'paymentId', condition: (p) => `payment_id = ${p.paymentId}` },
  {
    name: 'event',
    param: 'eventId',
    condition: (p) =>
      `event_id = ${p.eventId} AND payment_id = (SELECT payment_id FROM events WHERE id = ${p.eventId})`,
  },
  {
    name: 'endpoint',
    param: 'endpointId',
    condition: (p) => `${REGISTRATION_IN('endpoint_id')} = ${p.endpointId}`,
  },
  { name: 'type', param: 'types', condition: (p) => `type = ANY (${p.types})` },
  { name: 'from', param: 'fromId', condition: (p) => `id >= ${p.fromId}` },
  { name: 'until', param: 'untilId', condition: (p) => `id < ${p.untilId}` },
  { name: 'before', param: 'beforeId', condition: (p) => `id < ${p.beforeId}` },
];

/**
 * The statement for the filters that are given: one for each combination, with a name of at most the 63 bytes
 * that Postgres can distinguish. Failed deliveries are rare and have an index (deliveries_failed), which
 * Postgres only uses where the text says `failed`: statuses are part of the text.
 */
function pageOfDeliveries(
  params: PageParams,
  requested: readonly Delivery['status'][] = [],
): Statement<DeliveryRow, PageParams> {
  const given = FILTERS.filter(({ param }) => params[param] !== undefined);
  const statuses = DELIVERY_STATUSES.filter((status) => requested.includes(status));
  const initials = statuses.map((status) => status.charAt(0)).join('');
  const names = [
    'page_of_deliveries',
    ...(initials === '' ? [] : [initials]),
    ...given.map(({ name }) => name),
  ];
  return sql<DeliveryRow, PageParams>(names.join('_'), (p) => {
    const conditions = given.map(({ condition }) => condition(p));
    if (statuses.length > 0) conditions.push(`status IN ('${statuses.join("', '")}')`);
    return `
   SELECT ${DELIVERY_COLUMNS}
   FROM (
     SELECT * FROM deliveries
     WHERE ${[`merchant_id = ${p.merchantId}`, ...conditions].join('\n       AND ')}
     ORDER BY id DESC LIMIT ${p.limit}
   ) d ${LAST_ATTEMPT}
   ORDER BY d.id DESC`;
  });
}
