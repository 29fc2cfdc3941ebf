import { sharedBatch } from '../../../../platform/batch.ts';
import type { Context } from '../../../../platform/context.ts';
import { recordset, run, sql, type Connection } from '../../../../platform/postgres/db.ts';
import { beginLast } from '../../../../platform/postgres/transactions/pipelined.ts';
import { IS_DELETED, IS_ON, REGISTRATION, URL_OF_EVENT } from '../destination.ts';
import { BACKLOG_THRESHOLD, MAX_CONCURRENCY, WAITING_DAYS } from '../flow-control.ts';
import { deliverWebhook } from '../jobs.ts';
import {
  leaseEnd,
  ownerOf,
  withEndpointsLocked,
  type AcquiredEndpoint,
  type EndpointLease,
} from './lease.ts';

/**
 * Among so many of the oldest due deliveries, for each that may start, a payment's first event is searched.
 * Most payments have fewer waiting at once.
 */
const CANDIDATES_EACH = 5;

/** What a run wants to acquire, as it travels. */
export interface AcquireRequest {
  readonly endpoint_id: string;
  readonly owner: string;
  readonly system_now: Date;
  readonly lease_end: Date;
  readonly now: Date;
  /** The payments with a request in flight. */
  readonly in_flight: readonly string[];
  readonly receiver: string | null;
}

/** SQL: what still signs, newest first, as an array of EncodedSecret. */
const ENCODED_SECRETS = (table: string, isOwned: string) => `(
       SELECT coalesce(json_agg(
         json_build_object('key_id', s.key_id, 'ciphertext', encode(s.ciphertext, 'base64'))
         ORDER BY s.created_at DESC), '[]')
       FROM ${table} s WHERE ${isOwned} AND (s.expires_at IS NULL OR s.expires_at > o.system_now))`;

// Its caller has locked the endpoints, in a statement before (lease.ts). One statement takes or renews the
// leases, writes down what is about to be sent (in_flight), and reads what is due: of each endpoint the
// oldest deliveries (index deliveries_due), of each payment the event with the lowest sequence, and none of a
// payment that has a request in flight. It reads the destination each time, so that pending deliveries go to
// a URL that the merchant has corrected. While the merchant has it disabled, only what has waited too long is
// due. Of two requests for one endpoint, its owner's goes first. What is read of an endpoint is
// MATERIALIZED: else Postgres reads it again for each delivery (with 34 of them 2.5 ms instead of 1.1).
const acquire = sql<AcquiredEndpoint, { requests: string }>(
  'acquire_endpoints',
  (p) => `
   WITH requested AS (
     SELECT * FROM json_to_recordset(${p.requests}::json) AS a (
       endpoint_id text, owner text, system_now timestamptz, lease_end timestamptz, now timestamptz,
       in_flight text[], receiver text)
   ),
   endpoint AS (
     SELECT DISTINCT ON (w.id) a.*, w.merchant_id, w.registration_id, w.concurrency_limit, w.failures,
       w.circuit_open_until, w.failing_since, w.disabled_at,
       w.in_flight <> '{}' AND w.leased_by IS DISTINCT FROM a.owner AS has_interrupted
     FROM requested a JOIN webhook_endpoints w ON w.id = a.endpoint_id
     WHERE w.leased_by IS NULL OR w.leased_by = a.owner OR w.leased_until <= a.system_now
     ORDER BY w.id, (w.leased_by = a.owner) DESC NULLS LAST
   ),
   destination AS MATERIALIZED (
     SELECT o.*, r.url AS registered_url, coalesce(r.payload, 'full') AS payload, m.webhook_url,
       ${IS_ON} OR o.receiver IS NOT NULL AS is_on,
       o.disabled_at IS NOT NULL OR ${IS_DELETED} AS is_disabled,
       CASE WHEN o.registration_id IS NULL
         THEN ${ENCODED_SECRETS('webhook_secrets', 's.merchant_id = o.merchant_id')}
         ELSE ${ENCODED_SECRETS('endpoint_secrets', 's.endpoint_id = o.registration_id')} END AS secrets,
       ${ENCODED_SECRETS('webhook_signing_keys', 's.merchant_id = o.merchant_id')} AS signing_keys,
       (SELECT version FROM scheduled_jobs
        WHERE job = '${deliverWebhook.name}' AND key = o.endpoint_id) AS version,
       (SELECT count(*)::int FROM (
          SELECT FROM deliveries WHERE endpoint_id = o.endpoint_id AND status = 'pending'
          LIMIT ${BACKLOG_THRESHOLD}) counted) AS pending_count,
       greatest(0, least(o.concurrency_limit, ${MAX_CONCURRENCY}) - cardinality(o.in_flight)) AS free,
       CASE WHEN ${IS_ON} OR o.receiver IS NOT NULL THEN o.now
         ELSE o.now - interval '${WAITING_DAYS} days' END AS due_until
     FROM endpoint o JOIN merchants m ON m.id = o.merchant_id ${REGISTRATION}
   ),
   acquired AS MATERIALIZED (
     SELECT o.*, due.* FROM destination o LEFT JOIN LATERAL (
       SELECT max(first.candidates) > count(*) AS is_more_due,
         jsonb_object_agg(first.id, jsonb_build_array(first.attempts + 1, o.now))
           FILTER (WHERE o.is_on AND NOT o.is_disabled AND NOT o.has_interrupted) AS sent,
         json_agg(json_build_object('id', first.id, 'event_id', first.event_id,
           'payment_id', first.payment_id, 'attempts', first.attempts,
           'restarted_after', first.restarted_after, 'type', e.type, 'body', e.body,
           'traceparent', e.traceparent, 'url', coalesce(o.receiver, CASE WHEN o.is_on AND e.id IS NOT NULL
             THEN ${URL_OF_EVENT('o.registered_url', 'o.webhook_url')} END))
           ORDER BY first.next_attempt_at, first.sequence) AS deliveries
       FROM (
         SELECT *
         FROM (
           SELECT DISTINCT ON (payment_id) *
           FROM (
             SELECT *, count(*) OVER ()::int AS candidates
             FROM (
               SELECT id, event_id, payment_id, attempts, restarted_after, sequence, next_attempt_at
               FROM deliveries
               WHERE endpoint_id = o.endpoint_id AND status = 'pending'
                 AND next_attempt_at <= o.due_until
                 AND payment_id <> ALL (o.in_flight)
               ORDER BY next_attempt_at, id
               LIMIT ${CANDIDATES_EACH} * o.free
             ) oldest
           ) counted
           ORDER BY payment_id, sequence
         ) of_payment
         ORDER BY next_attempt_at, sequence
         LIMIT o.free
       ) first LEFT JOIN events e ON e.id = first.event_id
     ) due ON o.circuit_open_until IS NULL OR o.circuit_open_until <= o.now
   ),
   leased AS (
     UPDATE webhook_endpoints w SET leased_by = a.owner, leased_until = a.lease_end,
       in_flight = w.in_flight || coalesce(a.sent, '{}')
     FROM acquired a
     WHERE w.id = a.endpoint_id
   )
   SELECT owner, merchant_id, registration_id, concurrency_limit, failures, circuit_open_until, failing_since,
     has_interrupted, is_disabled, NOT is_on AS is_waiting, payload, secrets, signing_keys, version,
     pending_count, coalesce(is_more_due, false) OR cardinality(in_flight) > 0 AS has_more,
     coalesce(deliveries, '[]') AS due
   FROM acquired`,
);

/** The most endpoints that one statement acquires; a run that waits for it holds a slot of deliveries. */
const LIMITS = { size: 100, waiting: Infinity };
const acquireBatched = sharedBatch(lockAndAcquire, LIMITS, ({ endpoint_id }) => ownerOf(endpoint_id));

async function lockAndAcquire(
  connection: Connection,
  requests: readonly AcquireRequest[],
): Promise<(AcquiredEndpoint | null)[]> {
  const ids = requests.map(({ endpoint_id }) => endpoint_id);
  const begun = await withEndpointsLocked(connection, ids, (on) =>
    beginLast(on, () => acquireAll(on, requests)),
  );
  return begun.result;
}

/**
 * Like `acquireEndpoint`, for several in one statement, in the order of `requests`. The caller has locked the
 * endpoints, in a statement before.
 */
export async function acquireAll(
  connection: Connection,
  requests: readonly AcquireRequest[],
): Promise<(AcquiredEndpoint | null)[]> {
  const rows = await run(connection, acquire, { requests: recordset(requests) });
  const acquired = new Map(rows.map((row) => [row.owner, row]));
  return requests.map(({ owner }) => acquired.get(owner) ?? null);
}

/**
 * Takes or renews the endpoint's lease and returns what is due there now: as many deliveries as its
 * concurrency limit allows beside those of `paymentIdsInFlight`. Returns null when another run holds the
 * lease. Every event goes to `receiver` where it is not null. Runs of one merchant share statements.
 */
export async function acquireEndpoint(
  ctx: Context,
  lease: EndpointLease,
  paymentIdsInFlight: readonly string[],
  receiver: string | null,
): Promise<AcquiredEndpoint | null> {
  return acquireBatched(ctx.db, acquireRequestOf(ctx, lease, paymentIdsInFlight, receiver));
}

/** The request of `acquireEndpoint`. */
export function acquireRequestOf(
  ctx: Context,
  { endpointId, owner }: EndpointLease,
  paymentIdsInFlight: readonly string[],
  receiver: string | null,
): AcquireRequest {
  return {
    endpoint_id: endpointId,
    owner,
    system_now: ctx.systemNow(),
    lease_end: leaseEnd(ctx),
    now: ctx.now(),
    in_flight: paymentIdsInFlight,
    receiver,
  };
}
