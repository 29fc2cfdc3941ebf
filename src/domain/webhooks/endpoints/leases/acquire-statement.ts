import { sql } from '../../../../platform/postgres/db.ts';
import type { EncodedSecret } from '../../secrets/store.ts';
import { IS_DELETED, IS_ON, REGISTRATION, URL_OF_EVENT } from '../destination.ts';
import { BACKLOG_THRESHOLD, MAX_CONCURRENCY, WAITING_DAYS } from '../flow-control.ts';
import { deliverWebhook } from '../jobs.ts';
import type { Payload } from '../registration.ts';
import type { DueDelivery } from './lease.ts';

/**
 * Among so many of the oldest due deliveries, for each that may start, a payment's first event is searched.
 * Most payments have fewer waiting at once.
 */
const CANDIDATES_EACH = 5;

/** One row for each due delivery; a single row whose delivery is null of an endpoint where nothing is due. */
export type AcquiredRow = { readonly [Column in keyof DueDelivery]: DueDelivery[Column] | null } & {
  readonly owner: string;
  readonly merchant_id: string;
  readonly concurrency_limit: number;
  readonly failures: number;
  readonly circuit_open_until: Date | null;
  readonly failing_since: Date | null;
  readonly is_disabled: boolean;
  readonly has_interrupted: boolean;
  readonly is_waiting: boolean;
  /** In the first row of an endpoint only, as its signing keys. */
  readonly secrets: readonly EncodedSecret[] | null;
  readonly signing_keys: readonly EncodedSecret[] | null;
  readonly registration_id: string | null;
  readonly payload: Payload | null;
  /** How many due deliveries were read; null: none. */
  readonly candidates: number | null;
  readonly version: number | null;
  readonly pending_count: number;
};

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
       SELECT json_agg(json_build_object('key_id', s.key_id, 'ciphertext', encode(s.ciphertext, 'base64'))
         ORDER BY s.created_at DESC)
       FROM ${table} s WHERE ${isOwned} AND (s.expires_at IS NULL OR s.expires_at > o.system_now))`;

// Its caller has locked the endpoints, in a statement before (lock.ts). One statement takes or renews the
// leases, writes down what is about to be sent (in_flight), and reads what is due: of each endpoint the
// oldest deliveries (index deliveries_due), of each payment the event with the lowest sequence, and none of a
// payment that has a request in flight. It reads the destination each time, so that pending deliveries go to
// a URL that the merchant has corrected. While the merchant has it disabled, only what has waited too long is
// due. Of two requests for one endpoint, its owner's goes first. What is read of an endpoint is
// MATERIALIZED: else Postgres reads it again for each delivery (with 34 of them 2.5 ms instead of 1.1).
export const acquire = sql<AcquiredRow, { requests: string }>(
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
     SELECT o.*, r.url AS registered_url, r.payload, m.webhook_url,
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
   acquired AS (
     SELECT o.*, due.* FROM destination o LEFT JOIN LATERAL (
       SELECT first.*, row_number() OVER (ORDER BY next_attempt_at, sequence)::int AS place
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
       ) first
       ORDER BY next_attempt_at, sequence
       LIMIT o.free
     ) due ON o.circuit_open_until IS NULL OR o.circuit_open_until <= o.now
   ),
   leased AS (
     UPDATE webhook_endpoints w
     SET leased_by = a.owner, leased_until = a.lease_end, in_flight = w.in_flight || coalesce(a.sent, '{}')
     FROM (
       SELECT endpoint_id, owner, lease_end,
         jsonb_object_agg(id, jsonb_build_array(attempts + 1, now)) FILTER (
           WHERE id IS NOT NULL AND is_on AND NOT is_disabled AND NOT has_interrupted) AS sent
       FROM acquired GROUP BY endpoint_id, owner, lease_end
     ) a
     WHERE w.id = a.endpoint_id
   )
   SELECT o.owner, o.merchant_id, o.registration_id, o.concurrency_limit, o.failures, o.circuit_open_until,
     o.failing_since, o.has_interrupted, o.is_disabled, NOT o.is_on AS is_waiting, o.payload,
     CASE WHEN coalesce(o.place, 1) = 1 THEN o.secrets END AS secrets,
     CASE WHEN coalesce(o.place, 1) = 1 THEN o.signing_keys END AS signing_keys,
     o.version, o.pending_count, o.candidates,
     o.id, o.event_id, o.payment_id, o.attempts, o.restarted_after, e.type, e.body, e.traceparent,
     coalesce(o.receiver, CASE WHEN o.is_on AND e.id IS NOT NULL
       THEN ${URL_OF_EVENT('o.registered_url', 'o.webhook_url')} END) AS url
   FROM acquired o LEFT JOIN events e ON e.id = o.event_id
   ORDER BY o.endpoint_id, o.place`,
);
