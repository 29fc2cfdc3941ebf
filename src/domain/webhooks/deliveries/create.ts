import type { ScheduledJob } from '../../schedule/rows.ts';
import type { Context } from '../../../platform/context.ts';
import { run, sql, type Tx } from '../../../platform/postgres/db.ts';
import { deliverWebhook } from '../endpoints/jobs.ts';

/** SQL: the callback URL of an event `e`, up to its query, which mostly names the order; else null. */
const URL_OF_ENDPOINT = `substring(e.callback_url FROM '^[^?#]+')`;
const HASH_OF_URL = `sha256(convert_to(${URL_OF_ENDPOINT}, 'UTF8'))`;

/**
 * SQL: the endpoint of an event `e` of the merchant `m`: the merchant's own, or that of the URL that the
 * payment names. An isolated payment has an endpoint to itself. A URL is found by its hash (index
 * webhook_endpoints_by_url), because an index row cannot hold every URL; endpoints from before the hash keep
 * their ids.
 */
export const ENDPOINT_ID = (testClock: string) => `coalesce(${testClock},
    (SELECT known.id FROM webhook_endpoints known
     WHERE known.merchant_id = m.id AND known.url_hash = ${HASH_OF_URL}),
    m.id || coalesce(' ' || encode(${HASH_OF_URL}, 'hex'), ''))`;

/**
 * SQL: the deliveries `t` of an event `e` of the merchant `m`: to the merchant's own URL or that of the
 * payment, and to each registered endpoint that takes events of this type. `receiver` takes an event alone.
 * An event always has one delivery at least, which says why nothing was sent. Index:
 * endpoint_registrations_of_merchant.
 */
export const TARGETS = (testClock: string, receiver = 'NULL::text') => `LATERAL (
      SELECT r.id AS registration_id, r.is_enabled AS is_on,
        ${DELIVERY_ID('r.id', TIME_OF(testClock))} AS id,
        coalesce(${testClock}, m.id) || ' ' || r.id AS endpoint_id, NULL AS endpoint_url
      FROM endpoint_registrations r
      WHERE r.merchant_id = m.id AND r.deleted_at IS NULL AND ${receiver} IS NULL
        AND (r.event_types IS NULL OR e.type = ANY (r.event_types))
      UNION ALL
      SELECT NULL, ${receiver} IS NOT NULL
          OR (m.webhooks_enabled AND coalesce(e.callback_url, m.webhook_url) IS NOT NULL),
        ${DELIVERY_ID('NULL::text', TIME_OF(testClock))}, ${ENDPOINT_ID(testClock)},
        CASE WHEN ${testClock} IS NULL THEN ${URL_OF_ENDPOINT} END
      WHERE ${receiver} IS NOT NULL OR coalesce(e.callback_url, m.webhook_url) IS NOT NULL
        OR NOT EXISTS (
          SELECT FROM endpoint_registrations r
          WHERE r.merchant_id = m.id AND r.deleted_at IS NULL
            AND (r.event_types IS NULL OR e.type = ANY (r.event_types)))
    ) t`;

/**
 * SQL: inserts the endpoints that the rows of a query, `wanted`, lack. A row may find one that another
 * transaction inserts. Endpoints of callback URLs are found by the hash of their URL.
 */
export const INSERT_ENDPOINTS = (wanted: string, systemNow: string) => `
  INSERT INTO webhook_endpoints (id, merchant_id, registration_id, url, url_hash, created_at)
  SELECT DISTINCT endpoint_id, merchant_id, registration_id, endpoint_url,
    sha256(convert_to(endpoint_url, 'UTF8')), ${systemNow}::timestamptz
  FROM ${wanted} ORDER BY 1
  ON CONFLICT DO NOTHING RETURNING id`;

/**
 * SQL: true, once the CTE `endpoint` has inserted what is lacking. That waits for whoever changes an
 * endpoint, who has its deliveries next: a statement that had deliveries by then would wait for ever.
 */
export const ENDPOINTS_FIRST = '(SELECT count(*) FROM endpoint) IS NOT NULL';

/**
 * SQL: the id of the delivery of an event `e` to the endpoint that was registered as `registration`, or to
 * the merchant's own URL where that is null. It follows from both, so that a second run finds the first
 * one's. Ids decide on the partition by `time`. The hexadecimal digits of a hash are digits of an id.
 */
export const DELIVERY_ID = (registration: string, time = TIME_OF('NULL::text')) => `'dlv_' || ${time}
        || coalesce(
          upper(substr(encode(sha256(convert_to(e.id || ${registration}, 'UTF8')), 'hex'), 1, 16)),
          substr(e.id, 15))`;

/**
 * SQL: the time in the id of an event's delivery. That of an isolated payment is the time of the payment,
 * because an advanced clock may show any year.
 */
function TIME_OF(testClock: string): string {
  return testClock === 'NULL::text'
    ? 'substr(e.id, 5, 10)'
    : `CASE WHEN ${testClock} IS NULL THEN substr(e.id, 5, 10) ELSE substr(e.payment_id, 5, 10) END`;
}

interface EndpointRow {
  readonly endpoint_id: string;
  readonly merchant_id: string;
}

interface Creation {
  readonly eventIds: readonly string[];
  readonly now: Date;
  readonly systemNow: Date;
  /** The id of a test clock, or null. */
  readonly testClock: string | null;
  readonly receiver: string | null;
}

// An event whose endpoint the merchant has disabled, or has no URL for, or which is switched off, is not
// sent: its delivery has failed from the beginning, with the reason, so that the log shows every event.
// callback_url overrides the URL, not the switch. In one order, because two runs with the same events would
// wait for each other's unique keys for ever if each had its own.
const insertDeliveries = sql<EndpointRow, Creation>('insert_deliveries', (p) => {
  const testClock = `${p.testClock}::text`;
  return `
    WITH wanted AS (
      SELECT e.id, e.merchant_id, e.payment_id, e.sequence, e.type, t.id AS delivery_id, t.endpoint_id,
        t.registration_id, t.endpoint_url, t.is_on
      FROM events e JOIN merchants m ON m.id = e.merchant_id
        CROSS JOIN ${TARGETS(testClock, `${p.receiver}::text`)}
      WHERE e.id = ANY (${p.eventIds})
    ), delivering AS (SELECT * FROM wanted WHERE is_on
    ), endpoint AS (${INSERT_ENDPOINTS('delivering', p.systemNow)}
    ), judged AS (
      SELECT w.*, CASE WHEN NOT is_on THEN 'webhooks_disabled' WHEN EXISTS (
          SELECT FROM webhook_endpoints o WHERE o.id = w.endpoint_id AND o.disabled_at IS NOT NULL)
        THEN 'endpoint_switched_off' END AS not_sent
      FROM wanted w WHERE ${ENDPOINTS_FIRST}
    ), delivery AS (
      INSERT INTO deliveries (id, event_id, merchant_id, payment_id, endpoint_id, sequence, type, status,
        failed_because, next_attempt_at, created_at, finished_at)
      SELECT delivery_id, id, merchant_id, payment_id, endpoint_id, sequence, type,
        CASE WHEN not_sent IS NULL THEN 'pending' ELSE 'failed' END, not_sent,
        CASE WHEN not_sent IS NULL THEN ${p.now}::timestamptz END, ${p.now},
        CASE WHEN not_sent IS NOT NULL THEN ${p.now}::timestamptz END
      FROM judged
      ORDER BY delivery_id
      ON CONFLICT DO NOTHING
      RETURNING endpoint_id, merchant_id, status
    )
    SELECT DISTINCT endpoint_id, merchant_id FROM delivery WHERE status = 'pending'`;
});

/**
 * Creates the deliveries of events, due at once, and returns the jobs that wake their endpoints, which the
 * caller schedules in the same transaction; those of events that are not sent have failed with the reason. An
 * event has at most one delivery to an endpoint, so doing it twice adds nothing. `receiver` is the URL that
 * alone takes every event where it is not null.
 */
export async function createDeliveries(
  tx: Tx,
  ctx: Context,
  eventIds: readonly string[],
  receiver: string | null,
): Promise<ScheduledJob[]> {
  const now = ctx.now();
  const { testClock } = ctx;
  const creation = { eventIds, now, systemNow: ctx.systemNow(), testClock: testClock?.id ?? null, receiver };
  const endpoints = await run(tx, insertDeliveries, creation);
  return endpoints.map(({ endpoint_id, merchant_id }) => ({
    job: deliverWebhook,
    key: endpoint_id,
    runAt: now,
    testClock,
    merchantId: merchant_id,
  }));
}
