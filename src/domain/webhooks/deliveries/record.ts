import type { Context } from '../../../platform/context.ts';
import { recordset, runOne, sql } from '../../../platform/postgres/db.ts';
import type { DeliveryResult } from '../client/client.ts';
import {
  leaseEnd,
  type AcquiredEndpoint,
  type DueDelivery,
  type EndpointLease,
} from '../endpoints/leases/lease.ts';
import { nextFlowControl, type FlowControl } from '../endpoints/flow-control.ts';
import { nextAttemptAt } from './retry.ts';
import type { FailureReason } from './schemas.ts';

/** What became of a due delivery: an attempt, or the reason why nothing was sent. */
export type DeliveryOutcome = { readonly delivery: DueDelivery } & (
  | { readonly result: DeliveryResult; readonly startedAt: Date; readonly next: Date | null }
  | { readonly notSent: FailureReason }
);

/** The outcome of an attempt, with the time of the next one; null: there is none. */
export function attemptOutcome(
  ctx: Context,
  delivery: DueDelivery,
  result: DeliveryResult,
  startedAt: Date,
): DeliveryOutcome {
  const next = result.ok
    ? null
    : nextAttemptAt({
        failedAttempt: delivery.attempts + 1 - delivery.restarted_after,
        scheduleSeconds: ctx.config.webhookRetrySeconds,
        random: ctx.random(),
        retryAfter: result.retryAfter,
        now: ctx.now(),
      });
  return { delivery, result, startedAt, next };
}

interface RecordParams {
  readonly endpointId: string;
  readonly owner: string;
  readonly now: Date;
  /** A recordset of OutcomeRow. */
  readonly outcomes: string;
  /** A recordset of one EndpointChange. */
  readonly endpoint: string;
}

// A success always counts. A failure does not when the run's lease was taken over, or when the delivery was
// dropped or restarted while the request was in flight.
const DECIDES = `(o.status = 'delivered' AND d.status <> 'delivered'
         OR d.status = 'pending' AND d.restarted_after = o.restarted_after AND o.is_owner)`;

// One statement, so one commit: the attempts, the deliveries' states, and the endpoint's flow control. An
// outcome that comes after its attempt was logged as interrupted replaces that. An
// outcome that does not decide still raises the count of attempts, because the next attempt's number must be
// free.
const record = sql<{ id: string }, RecordParams>(
  'record_delivery_outcomes',
  (p) => `
   WITH outcome AS (
     SELECT o.*,
       EXISTS (
         SELECT FROM webhook_endpoints WHERE id = ${p.endpointId} AND leased_by = ${p.owner}) AS is_owner
     FROM json_to_recordset(${p.outcomes}::json) AS o (
       delivery_id text, restarted_after int, attempts int, status text, failed_because text,
       url text, remote_address text, started_at timestamptz, duration_ms int, status_code int,
       error_class text, error_detail text, response_excerpt text, next_attempt_at timestamptz)
   ),
   attempt AS (
     INSERT INTO delivery_attempts (delivery_id, number, url, remote_address, started_at, duration_ms,
       status_code, error_class, error_detail, response_excerpt, next_attempt_at)
     SELECT delivery_id, attempts, url, remote_address, started_at, duration_ms,
       status_code, error_class, error_detail, response_excerpt, next_attempt_at
     FROM outcome WHERE started_at IS NOT NULL
     ON CONFLICT (delivery_id, number) DO UPDATE SET url = excluded.url,
       remote_address = excluded.remote_address, started_at = excluded.started_at,
       duration_ms = excluded.duration_ms, status_code = excluded.status_code,
       error_class = excluded.error_class, error_detail = excluded.error_detail,
       response_excerpt = excluded.response_excerpt, next_attempt_at = excluded.next_attempt_at
       WHERE delivery_attempts.error_class = 'interrupted'
   ),
   delivery AS (
     UPDATE deliveries d SET
       attempts = greatest(d.attempts, o.attempts),
       status = CASE WHEN ${DECIDES} THEN o.status ELSE d.status END,
       failed_because = CASE WHEN ${DECIDES} THEN o.failed_because ELSE d.failed_because END,
       next_attempt_at = CASE WHEN ${DECIDES} THEN o.next_attempt_at ELSE d.next_attempt_at END,
       finished_at = CASE WHEN NOT ${DECIDES} THEN d.finished_at
         WHEN o.status <> 'pending' THEN ${p.now}::timestamptz END
     FROM outcome o
     WHERE d.id = o.delivery_id AND (${DECIDES} OR d.attempts < o.attempts)
   )
   UPDATE webhook_endpoints w SET
     leased_until = e.leased_until,
     in_flight = w.in_flight - ARRAY(SELECT delivery_id FROM outcome),
     concurrency_limit = e.concurrency_limit,
     failures = e.failures,
     circuit_open_until = e.circuit_open_until,
     failing_since = e.failing_since,
     last_success_at = coalesce(e.last_success_at, w.last_success_at),
     last_failure_at = coalesce(e.last_failure_at, w.last_failure_at)
   FROM json_to_recordset(${p.endpoint}::json) AS e (
     leased_until timestamptz, concurrency_limit int, failures int, circuit_open_until timestamptz,
     failing_since timestamptz, last_success_at timestamptz, last_failure_at timestamptz)
   WHERE w.id = ${p.endpointId} AND w.leased_by = ${p.owner}
   RETURNING w.id`,
);

interface EndpointChange {
  readonly leased_until: Date;
  readonly concurrency_limit: number;
  readonly failures: number;
  readonly circuit_open_until: Date | null;
  readonly failing_since: Date | null;
  readonly last_success_at: Date | null;
  readonly last_failure_at: Date | null;
}

/**
 * Records outcomes and returns the endpoint's new flow control; null when another run has taken the
 * endpoint's lease over.
 */
export async function recordOutcomes(
  ctx: Context,
  { endpointId, owner }: EndpointLease,
  outcomes: readonly DeliveryOutcome[],
  { flowControl: before, pendingCount }: Pick<AcquiredEndpoint, 'flowControl' | 'pendingCount'>,
): Promise<FlowControl | null> {
  const now = ctx.now();
  const results = outcomes.flatMap((outcome) => ('result' in outcome ? [outcome.result] : []));
  const succeeded = results.filter(({ ok }) => ok).length;
  const failed = results.length - succeeded;
  const [firstDelaySeconds = 0] = ctx.config.webhookRetrySeconds;
  const after = nextFlowControl(before, { succeeded, failed, pendingCount, now, firstDelaySeconds });
  const change: EndpointChange = {
    leased_until: leaseEnd(ctx),
    concurrency_limit: after.concurrencyLimit,
    failures: after.failures,
    circuit_open_until: after.circuitOpenUntil,
    failing_since: after.failingSince,
    last_success_at: succeeded > 0 ? now : null,
    last_failure_at: failed > 0 ? now : null,
  };
  const stillOwned = await runOne(ctx.db, record, {
    endpointId,
    owner,
    now,
    outcomes: recordset(outcomes.map(rowOf)),
    endpoint: recordset([change]),
  });
  return stillOwned && after;
}

/** The absent columns are null; without `started_at` there was no attempt. */
interface OutcomeRow {
  readonly delivery_id: string;
  readonly restarted_after: number;
  readonly attempts: number;
  readonly status: 'pending' | 'delivered' | 'failed';
  readonly failed_because: FailureReason | null;
  readonly url?: string;
  readonly remote_address?: string | null;
  readonly started_at?: Date;
  readonly duration_ms?: number;
  readonly status_code?: number | null;
  readonly error_class?: string | null;
  readonly error_detail?: string | null;
  readonly response_excerpt?: string | null;
  readonly next_attempt_at?: Date | null;
}

function rowOf(outcome: DeliveryOutcome): OutcomeRow {
  const { id, attempts, url, restarted_after } = outcome.delivery;
  if ('notSent' in outcome)
    return { delivery_id: id, restarted_after, attempts, status: 'failed', failed_because: outcome.notSent };
  const { result, startedAt, next } = outcome;
  const failed = next === null ? 'failed' : 'pending';
  return {
    delivery_id: id,
    restarted_after,
    attempts: attempts + 1,
    status: result.ok ? 'delivered' : failed,
    failed_because: result.ok || next !== null ? null : 'retries_exhausted',
    url: url ?? '',
    remote_address: result.remoteAddress,
    started_at: startedAt,
    duration_ms: Math.round(result.durationMs),
    status_code: result.statusCode,
    error_class: result.errorClass,
    error_detail: result.errorDetail,
    response_excerpt: result.excerpt,
    next_attempt_at: next,
  };
}
