import { addSeconds } from '../../../../platform/clock.ts';
import { dateRange } from '../../../api/date-range.ts';
import { ApiError, ValidationError } from '../../../api/errors.ts';
import { recordset, run, sql, type Connection, type Db } from '../../../../platform/postgres/db.ts';
import type { Placeholders } from '../../../../platform/postgres/sql.ts';
import { firstIdAt } from '../../../../platform/values/ids.ts';
import { Slots } from '../../../sandbox/budgets/slots.ts';
import { RETENTION_SECONDS } from '../../endpoints/sweep.ts';
import { readRegistration } from '../../endpoints/registration.ts';
import { DELIVERY_ID, TARGETS } from '../create.ts';
import type { RedeliverBody } from '../schemas.ts';

/**
 * A range of all that was delivered, or of events from before a change of settings, is read for a second
 * where it has 150,000 events of the merchant: what one asks for at once waits for its turn without a
 * connection, and one more is refused.
 */
const RANGES = { perMerchant: 1, perProcess: 2, waiting: 4 } as const;

/** They bound the use of a pool of connections, of which a process has one. */
const ranges = new WeakMap<Db, Slots>();

/** Runs `work` on a range in the merchant's turn. Throws ApiError rate_limited where too many wait. */
export function inTurn<Result>(
  db: Db,
  { merchantId }: Pick<Range, 'merchantId'>,
  work: () => Promise<Result>,
): Promise<Result> {
  const slots = ranges.get(db) ?? new Slots(RANGES);
  ranges.set(db, slots);
  return slots.run(merchantId, work);
}

/** A longer range must be requested in parts: this many take a quarter of an hour. */
export const MAX_AT_ONCE = 50_000;

export interface Range {
  readonly merchantId: string;
  readonly fromId: string;
  readonly untilId: string | null;
  readonly which: 'failed' | 'all';
  /** A registered endpoint; null: all endpoints. */
  readonly registrationId: string | null;
}

export interface RangeParams extends Omit<Range, 'which'> {
  /** A recordset: the endpoints that are on, as EndpointOfRange. */
  readonly endpoints: string;
}

interface EndpointOfRange {
  /** Null: the merchant's own URL. */
  readonly registration_id: string | null;
  /** Null: all. */
  readonly event_types: readonly string[] | null;
  /** An event from this id on has its delivery to the endpoint, or gets it by its dispatch. */
  readonly whole_from: string;
}

/** The range that a request asks for. Throws ValidationError for one that ends before it begins. */
export function rangeOf(merchantId: string, body: RedeliverBody): Range {
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

/** SQL: the deliveries that begin again, of those of a range. */
export const IS_WANTED = {
  failed: `d.status = 'failed'`,
  all: `d.status IN ('failed', 'delivered')`,
} as const;

const UNTIL = (p: Placeholders<RangeParams>) => `coalesce(${p.untilId}, 'evt_~')`;

/**
 * SQL: the ids of events of a range up to an id, by the index events_of_merchant alone, which has all that
 * this asks for. If it asked for more, Postgres would take events_pkey, whose order is that of the table, and
 * read everybody's events; OFFSET 0 keeps it apart.
 */
const EVENTS = (p: Placeholders<RangeParams>, until = UNTIL(p)) => `
           SELECT id FROM events
           WHERE merchant_id = ${p.merchantId} AND id >= ${p.fromId} AND id < ${until}
           OFFSET 0`;

/**
 * SQL: the events of a range with a delivery that failed (index deliveries_failed; its id has the time of its
 * event), and those that lack one to an endpoint that is on. What was delivered is not read but where the
 * settings of its endpoint are newer; there its keys alone are.
 */
const UNDELIVERED = (p: Placeholders<RangeParams>) => `
         SELECT event_id AS id FROM deliveries
         WHERE merchant_id = ${p.merchantId} AND status = 'failed'
           AND id >= 'dlv' || substr(${p.fromId}, 4) AND id < 'dlv' || substr(${UNTIL(p)}, 4)
         UNION
         SELECT e.id
         FROM jsonb_to_recordset(${p.endpoints}::jsonb) AS r (registration_id text, event_types text[],
             whole_from text)
           CROSS JOIN LATERAL (${EVENTS(p, `least(${UNTIL(p)}, r.whole_from)`)}
           ) e
         WHERE (r.event_types IS NULL
             OR (SELECT one.type FROM events one WHERE one.id = e.id) = ANY (r.event_types))
           AND NOT EXISTS (SELECT FROM deliveries WHERE id = ${DELIVERY_ID('r.registration_id')})`;

const CANDIDATES = {
  failed: UNDELIVERED,
  all: (p: Placeholders<RangeParams>) => EVENTS(p),
} as const;

/** SQL: the events of a range with each endpoint that gets them again. */
export const WANTED = (which: Range['which'], p: Placeholders<RangeParams>) => `
     SELECT e.id, e.merchant_id, e.payment_id, e.sequence, e.type, t.id AS delivery_id, t.endpoint_id,
       t.registration_id, t.endpoint_url
     FROM (${CANDIDATES[which](p)}
       ) own
       JOIN events e ON e.id = own.id
       JOIN merchants m ON m.id = e.merchant_id
       JOIN payments p ON p.id = e.payment_id
       CROSS JOIN ${TARGETS('NULL::text')}
       LEFT JOIN deliveries d ON d.id = t.id
     WHERE p.test_clock IS NULL
       AND (d.id IS NULL OR ${IS_WANTED[which]})
       AND t.is_on AND (${p.registrationId}::text IS NULL OR t.registration_id = ${p.registrationId})`;

// By the index endpoint_registrations_of_merchant.
const endpointsOn = sql<
  Omit<EndpointOfRange, 'whole_from'> & { changed_at: Date },
  Pick<Range, 'merchantId'>
>(
  'webhook_endpoints_of_range',
  (p) => `
   SELECT NULL AS registration_id, NULL::text[] AS event_types, webhooks_updated_at AS changed_at
   FROM merchants WHERE id = ${p.merchantId} AND webhooks_enabled
   UNION ALL
   SELECT id, event_types, updated_at FROM endpoint_registrations
   WHERE merchant_id = ${p.merchantId} AND deleted_at IS NULL AND is_enabled`,
);

/**
 * An event that is recorded after the last change of settings has its deliveries, if by the clock of another
 * process; so has one that is younger than the oldest deliveries.
 */
const CLOCKS_DIFFER_SECONDS = 600;

/**
 * Returns what a statement on the range needs, once something of it can be sent. Throws ApiError
 * endpoint_not_found for an endpoint that was not registered, and webhooks_off while webhooks are disabled.
 * The caller who restarts deliveries has locked the merchant, so that no setting changes until then.
 */
export async function assertReplayable(
  connection: Connection,
  { which: _which, ...range }: Range,
  now: Date,
): Promise<RangeParams> {
  const { merchantId, registrationId } = range;
  if (registrationId !== null) await readRegistration(connection, merchantId, registrationId);
  const on = await run(connection, endpointsOn, { merchantId });
  if (on.length === 0) throw new ApiError('webhooks_off');
  const kept = addSeconds(now, CLOCKS_DIFFER_SECONDS - RETENTION_SECONDS);
  const endpoints = on
    .filter(({ registration_id }) => registrationId === null || registration_id === registrationId)
    .map(({ registration_id, event_types, changed_at }): EndpointOfRange => {
      const changed = addSeconds(changed_at, CLOCKS_DIFFER_SECONDS);
      const whole_from = firstIdAt('evt', changed > kept ? changed : kept);
      return { registration_id, event_types, whole_from };
    });
  return { ...range, endpoints: recordset(endpoints) };
}

export function tooMany(): ValidationError {
  return new ValidationError(
    'from_date',
    'minimum',
    `begins a range of more than ${MAX_AT_ONCE} deliveries; ask for it in parts`,
  );
}
