import { addSeconds } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import { run, sql } from '../../../platform/postgres/db.ts';
import { deliverWebhook } from './jobs.ts';
import { BACKLOG_THRESHOLD, MAX_CONCURRENCY, WAITING_DAYS, type FlowControl } from './flow-control.ts';

/** Time to record a request's outcome after its deadline. Only then may another run acquire the endpoint. */
const LEASE_MARGIN_SECONDS = 10;
/** The oldest due deliveries among which a payment's first event is searched, once per run and look. */
const MAX_CANDIDATES = 512;

/** A run's lease of an endpoint: no other run sends to it meanwhile. */
export interface EndpointLease {
  readonly endpointId: string;
  /** Random, so that a run whose lease another run took over notices it. */
  readonly owner: string;
}

/** A delivery that is due, with what its request needs. */
export interface DueDelivery {
  readonly id: string;
  readonly event_id: string;
  readonly payment_id: string;
  readonly attempts: number;
  readonly restarted_after: number;
  readonly body: string;
  /** Null when the merchant has disabled webhooks, or has no URL any more. */
  readonly url: string | null;
  readonly traceparent: string | null;
}

/** The state of an acquired endpoint, as of one read. */
export interface AcquiredEndpoint {
  readonly merchantId: string;
  readonly flowControl: FlowControl;
  readonly isDisabled: boolean;
  /** The merchant has disabled webhooks: deliveries wait until they are enabled again (leases/wait.ts). */
  readonly isWaiting: boolean;
  /** An earlier run sent something and recorded no outcome of it, because it died: see recordInterrupted. */
  readonly hasInterrupted: boolean;
  /** Pending deliveries, counted up to BACKLOG_THRESHOLD. */
  readonly pendingCount: number;
  /** Encrypted, in base64, newest first. */
  readonly secrets: readonly EncodedSecret[];
  /** How often the endpoint's job had been scheduled at this read; null: it is not scheduled. */
  readonly version: number | null;
  readonly due: readonly DueDelivery[];
  /**
   * More may be due now: beyond the concurrency limit, or of payments that have a delivery among `due` or in
   * flight.
   */
  readonly hasMore: boolean;
}

type EncodedSecret = Readonly<Record<'key_id' | 'ciphertext', string>>;

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
  readonly secrets: readonly EncodedSecret[];
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

// One statement takes or renews the lease, writes down what is about to be sent (in_flight), and reads what
// is due: the oldest deliveries (index deliveries_due), of each payment the event with the lowest sequence,
// and none of a payment that has a request in flight. It reads the destination at each look, so that pending
// deliveries go to a URL that the merchant has corrected. While the merchant has webhooks disabled, only what
// has waited too long is due.
const acquire = sql<AcquiredRow, AcquireParams>(
  'acquire_endpoint',
  (p) => `
   WITH endpoint AS (
     SELECT merchant_id, concurrency_limit, failures, circuit_open_until, failing_since,
       disabled_at IS NOT NULL AS is_disabled,
       in_flight <> '{}' AND leased_by IS DISTINCT FROM ${p.owner} AS has_interrupted
     FROM webhook_endpoints
     WHERE id = ${p.endpointId}
       AND (leased_by IS NULL OR leased_by = ${p.owner} OR leased_until <= ${p.systemNow})
     FOR NO KEY UPDATE
   ),
   destination AS (
     SELECT m.webhook_url, m.webhooks_enabled OR ${p.receiver}::text IS NOT NULL AS is_on
     FROM endpoint JOIN merchants m ON m.id = endpoint.merchant_id
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
   SELECT endpoint.*, NOT m.is_on AS is_waiting,
     due.id, due.event_id, due.payment_id, due.attempts, due.restarted_after, e.body, e.traceparent,
     coalesce(${p.receiver}, CASE WHEN m.is_on AND e.id IS NOT NULL
       THEN coalesce(e.callback_url, m.webhook_url) END) AS url,
     (SELECT json_agg(json_build_object('key_id', s.key_id, 'ciphertext', encode(s.ciphertext, 'base64'))
        ORDER BY s.created_at DESC)
      FROM webhook_secrets s
      WHERE s.merchant_id = endpoint.merchant_id
        AND (s.expires_at IS NULL OR s.expires_at > ${p.systemNow})) AS secrets,
     (SELECT count(*) FROM oldest) > (SELECT count(*) FROM due) AS has_more,
     (SELECT version FROM scheduled_jobs
      WHERE job = '${deliverWebhook.name}' AND key = ${p.endpointId}) AS version,
     (SELECT count(*)::int FROM (
        SELECT FROM deliveries WHERE endpoint_id = ${p.endpointId} AND status = 'pending'
        LIMIT ${BACKLOG_THRESHOLD}) counted) AS pending_count
   FROM endpoint
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
    secrets: first.secrets,
    version: first.version,
    hasMore: first.has_more || paymentIdsInFlight.length > 0,
    due: rows.filter((row): row is AcquiredRow & DueDelivery => row.id !== null),
  };
}

/** When a lease ends that is taken or renewed now. */
export function leaseEnd(ctx: Context): Date {
  return addSeconds(ctx.systemNow(), ctx.config.webhookTimeoutSeconds + LEASE_MARGIN_SECONDS);
}
