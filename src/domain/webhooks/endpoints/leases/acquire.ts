import type { Context } from '../../../../platform/context.ts';
import { run, sql } from '../../../../platform/postgres/db.ts';
import type { Payload } from '../registration.ts';
import type { EncodedSecret } from '../../secrets/store.ts';
import { IS_DELETED, IS_ON, REGISTRATION, URL_OF_EVENT } from '../destination.ts';
import { BACKLOG_THRESHOLD, MAX_CONCURRENCY, WAITING_DAYS } from '../flow-control.ts';
import { deliverWebhook } from '../jobs.ts';
import { leaseEnd, type AcquiredEndpoint, type DueDelivery, type EndpointLease } from './lease.ts';

/** The oldest due deliveries among which a payment's first event is searched, once per run and look. */
const MAX_CANDIDATES = 512;

/** One row for each due delivery; a single row whose delivery is null where nothing is due. */
type AcquiredRow = { readonly [Column in keyof DueDelivery]: DueDelivery[Column] | null } & {
  readonly merchant_id: string;
  readonly concurrency_limit: number;
  readonly failures: number;
  readonly circuit_open_until: Date | null;
  readonly failing_since: Date | null;
  readonly is_disabled: boolean;
  readonly has_interrupted: boolean;
  readonly is_waiting: boolean;
  readonly secrets: readonly EncodedSecret[] | null;
  readonly signing_keys: readonly EncodedSecret[] | null;
  readonly registration_id: string | null;
  readonly payload: Payload | null;
  readonly has_more: boolean;
  readonly version: number | null;
  readonly pending_count: number;
};

interface AcquireParams {
  readonly endpointId: string;
  readonly owner: string;
  readonly systemNow: Date;
  readonly leaseEnd: Date;
  readonly now: Date;
  readonly paymentIdsInFlight: readonly string[];
  readonly receiver: string | null;
}

/** SQL: what still signs, newest first, as an array of EncodedSecret. */
const SEALED = (table: string, isOwned: string, now: string) => `(
       SELECT json_agg(json_build_object('key_id', s.key_id, 'ciphertext', encode(s.ciphertext, 'base64'))
         ORDER BY s.created_at DESC)
       FROM ${table} s WHERE ${isOwned} AND (s.expires_at IS NULL OR s.expires_at > ${now}))`;

// One statement takes or renews the lease, writes down what is about to be sent (in_flight), and reads what
// is due: the oldest deliveries (index deliveries_due), of each payment the event with the lowest sequence,
// and none of a payment that has a request in flight. It reads the destination at each look, so that pending
// deliveries go to a URL that the merchant has corrected. While the merchant has it disabled, only what
// has waited too long is due.
const acquire = sql<AcquiredRow, AcquireParams>(
  'acquire_endpoint',
  (p) => `
   WITH endpoint AS (
     SELECT merchant_id, registration_id, concurrency_limit, failures, circuit_open_until, failing_since,
       disabled_at IS NOT NULL AS is_switched_off,
       in_flight <> '{}' AND leased_by IS DISTINCT FROM ${p.owner} AS has_interrupted
     FROM webhook_endpoints
     WHERE id = ${p.endpointId}
       AND (leased_by IS NULL OR leased_by = ${p.owner} OR leased_until <= ${p.systemNow})
     FOR NO KEY UPDATE
   ),
   destination AS (
     SELECT m.webhook_url, r.url, r.payload, ${IS_ON} OR ${p.receiver}::text IS NOT NULL AS is_on,
       o.is_switched_off OR ${IS_DELETED} AS is_disabled
     FROM endpoint o JOIN merchants m ON m.id = o.merchant_id ${REGISTRATION}
   ),
   oldest AS (
     SELECT id, event_id, payment_id, attempts, restarted_after, sequence, next_attempt_at
     FROM deliveries
     WHERE endpoint_id = ${p.endpointId} AND status = 'pending'
       AND next_attempt_at <= (
         SELECT CASE WHEN is_on THEN ${p.now}::timestamptz
           ELSE ${p.now}::timestamptz - interval '${WAITING_DAYS} days' END
         FROM destination)
       AND payment_id <> ALL (${p.paymentIdsInFlight})
       AND EXISTS (SELECT FROM endpoint WHERE circuit_open_until IS NULL OR circuit_open_until <= ${p.now})
     ORDER BY next_attempt_at, id
     LIMIT ${MAX_CANDIDATES}
   ),
   first_of_payment AS (
     SELECT DISTINCT ON (payment_id) * FROM oldest ORDER BY payment_id, sequence
   ),
   due AS (
     SELECT * FROM first_of_payment
     ORDER BY next_attempt_at, sequence
     LIMIT (
       SELECT greatest(0, least(concurrency_limit, ${MAX_CONCURRENCY}) - cardinality(${p.paymentIdsInFlight}))
       FROM endpoint)
   ),
   leased AS (
     UPDATE webhook_endpoints w SET leased_by = ${p.owner}, leased_until = ${p.leaseEnd},
       in_flight = w.in_flight || coalesce((
         SELECT jsonb_object_agg(due.id, jsonb_build_array(attempts + 1, ${p.now}::timestamptz)) FROM due
         WHERE is_on AND NOT is_disabled AND NOT has_interrupted), '{}')
     FROM endpoint, destination WHERE w.id = ${p.endpointId}
   )
   SELECT o.merchant_id, o.registration_id, o.concurrency_limit, o.failures, o.circuit_open_until,
     o.failing_since, o.has_interrupted, m.is_disabled, NOT m.is_on AS is_waiting, m.payload,
     due.id, due.event_id, due.payment_id, due.attempts, due.restarted_after, e.type, e.body, e.traceparent,
     coalesce(${p.receiver}, CASE WHEN m.is_on AND e.id IS NOT NULL THEN ${URL_OF_EVENT('m.url')} END) AS url,
     CASE WHEN o.registration_id IS NULL
       THEN ${SEALED('webhook_secrets', 's.merchant_id = o.merchant_id', p.systemNow)}
       ELSE ${SEALED('endpoint_secrets', 's.endpoint_id = o.registration_id', p.systemNow)} END AS secrets,
     ${SEALED('webhook_signing_keys', 's.merchant_id = o.merchant_id', p.systemNow)} AS signing_keys,
     (SELECT count(*) FROM oldest) > (SELECT count(*) FROM due) AS has_more,
     (SELECT version FROM scheduled_jobs
      WHERE job = '${deliverWebhook.name}' AND key = ${p.endpointId}) AS version,
     (SELECT count(*)::int FROM (
        SELECT FROM deliveries WHERE endpoint_id = ${p.endpointId} AND status = 'pending'
        LIMIT ${BACKLOG_THRESHOLD}) counted) AS pending_count
   FROM endpoint o
     CROSS JOIN destination m
     LEFT JOIN due ON true
     LEFT JOIN events e ON e.id = due.event_id
   ORDER BY due.next_attempt_at, due.sequence`,
);

/**
 * Takes or renews the endpoint's lease and returns what is due there now: as many deliveries as its
 * concurrency limit allows beside those of `paymentIdsInFlight`. Returns null when another run holds the
 * lease. Every event goes to `receiver` where it is not null.
 */
export async function acquireEndpoint(
  ctx: Context,
  { endpointId, owner }: EndpointLease,
  paymentIdsInFlight: readonly string[],
  receiver: string | null,
): Promise<AcquiredEndpoint | null> {
  const rows = await run(ctx.db, acquire, {
    endpointId,
    owner,
    systemNow: ctx.systemNow(),
    leaseEnd: leaseEnd(ctx),
    now: ctx.now(),
    paymentIdsInFlight,
    receiver,
  });
  const [first] = rows;
  if (first === undefined) return null;
  return {
    merchantId: first.merchant_id,
    flowControl: {
      concurrencyLimit: first.concurrency_limit,
      failures: first.failures,
      circuitOpenUntil: first.circuit_open_until,
      failingSince: first.failing_since,
    },
    isDisabled: first.is_disabled,
    isWaiting: first.is_waiting,
    hasInterrupted: first.has_interrupted,
    pendingCount: first.pending_count,
    secrets: first.secrets ?? [],
    signingKeys: first.signing_keys ?? [],
    registrationId: first.registration_id,
    payload: first.payload ?? 'full',
    version: first.version,
    hasMore: first.has_more || paymentIdsInFlight.length > 0,
    due: rows.filter((row): row is AcquiredRow & DueDelivery => row.id !== null),
  };
}
