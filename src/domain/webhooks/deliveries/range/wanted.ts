import { dateRange } from '../../../api/date-range.ts';
import { ApiError, ValidationError } from '../../../api/errors.ts';
import { run, sql, type Connection, type Db } from '../../../../platform/postgres/db.ts';
import type { Placeholders } from '../../../../platform/postgres/sql.ts';
import { firstIdAt } from '../../../../platform/values/ids.ts';
import { Slots } from '../../../sandbox/budgets/slots.ts';
import { readRegistration } from '../../endpoints/registration.ts';
import { TARGETS } from '../create.ts';
import type { RedeliverBody } from '../schemas.ts';

/**
 * A range is read for a second where it has 150,000 events of the merchant: what one asks for at once waits
 * for its turn without a connection, and one more is refused.
 */
const RANGES = { perMerchant: 1, perProcess: 2, waiting: 4 } as const;

/** They bound the use of a pool of connections, of which a process has one. */
const ranges = new WeakMap<Db, Slots>();

/** Runs `work` on a range in the merchant's turn. Throws ApiError rate_limited where too many wait. */
export function inTurn<Result>(
  db: Db,
  { merchantId }: Pick<RangeParams, 'merchantId'>,
  work: () => Promise<Result>,
): Promise<Result> {
  const slots = ranges.get(db) ?? new Slots(RANGES);
  ranges.set(db, slots);
  return slots.run(merchantId, work);
}

/** A longer range must be requested in parts: this many take a quarter of an hour. */
export const MAX_AT_ONCE = 50_000;

export interface RangeParams {
  readonly merchantId: string;
  readonly fromId: string;
  readonly untilId: string | null;
  readonly which: 'failed' | 'all';
  /** A registered endpoint; null: all endpoints. */
  readonly registrationId: string | null;
}

/** The range that a request asks for. Throws ValidationError for one that ends before it begins. */
export function rangeOf(merchantId: string, body: RedeliverBody): RangeParams {
  const [from, until] = dateRange(body);
  if (from === null) throw new ValidationError('from_date', 'required', 'is required');
  return {
    merchantId,
    fromId: firstIdAt('evt', from),
    untilId: until && firstIdAt('evt', until),
    which: body.which ?? 'failed',
    registrationId: body.endpoint_id ?? null,
  };
}

/** SQL: whether a delivery `d` begins again. */
export const IS_WANTED = (which: string) =>
  `d.status = 'failed' OR d.status = 'delivered' AND ${which} = 'all'`;

/**
 * SQL: the events of a range with each endpoint that gets them again. They are found by the index
 * events_of_merchant alone, which has all that the subquery asks for. If that asked for more, Postgres would
 * take events_pkey, whose order is that of the table, and read everybody's events; OFFSET 0 keeps it apart.
 */
export const WANTED = (p: Placeholders<RangeParams>) => `
     SELECT e.id, e.merchant_id, e.payment_id, e.sequence, e.type, t.id AS delivery_id, t.endpoint_id,
       t.registration_id, t.endpoint_url
     FROM (
         SELECT id FROM events
         WHERE merchant_id = ${p.merchantId} AND id >= ${p.fromId} AND id < coalesce(${p.untilId}, 'evt_~')
         OFFSET 0
       ) own
       JOIN events e ON e.id = own.id
       JOIN merchants m ON m.id = e.merchant_id
       JOIN payments p ON p.id = e.payment_id
       CROSS JOIN ${TARGETS('NULL::text')}
       LEFT JOIN deliveries d ON d.id = t.id
     WHERE p.test_clock IS NULL
       AND (d.id IS NULL OR ${IS_WANTED(p.which)})
       AND t.is_on AND (${p.registrationId}::text IS NULL OR t.registration_id = ${p.registrationId})`;

const isAnyOn = sql<{ is_on: boolean }, { merchantId: string }>(
  'is_any_webhook_enabled',
  (p) => `
   SELECT webhooks_enabled OR EXISTS (
     SELECT FROM endpoint_registrations r
     WHERE r.merchant_id = m.id AND r.deleted_at IS NULL AND r.is_enabled) AS is_on
   FROM merchants m WHERE id = ${p.merchantId}`,
);

/**
 * Makes sure that something of the range can be sent. Throws ApiError endpoint_not_found for an endpoint that
 * was not registered, and webhooks_off while webhooks are disabled.
 */
export async function assertReplayable(
  connection: Connection,
  { merchantId, registrationId }: Pick<RangeParams, 'merchantId' | 'registrationId'>,
): Promise<void> {
  if (registrationId !== null) await readRegistration(connection, merchantId, registrationId);
  const [merchant] = await run(connection, isAnyOn, { merchantId });
  if (merchant?.is_on !== true) throw new ApiError('webhooks_off');
}

export function tooMany(): ValidationError {
  return new ValidationError(
    'from_date',
    'minimum',
    `begins a range of more than ${MAX_AT_ONCE} deliveries; ask for it in parts`,
  );
}
