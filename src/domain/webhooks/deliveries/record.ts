import type { Context } from '../../../platform/context.ts';
import { runOne, sql } from '../../../platform/postgres/db.ts';
import type { DeliveryResult } from '../client/client.ts';
import { throttleAfter, type Throttle } from '../endpoints/throttle.ts';
import { leaseEnd, type DueDelivery, type EndpointLease, type AcquiredEndpoint } from './acquire.ts';
import { nextAttemptAt } from './retry.ts';

/** Why a delivery will not be tried any more. */
export const FAILURE_REASONS = ['retries_exhausted', 'webhooks_disabled', 'endpoint_switched_off'] as const;
export type FailureReason = (typeof FAILURE_REASONS)[number];

/** What came of a delivery that was due: an exchange, or the reason why there was none. */
export type Outcome = { readonly delivery: DueDelivery } & (
  | { readonly result: DeliveryResult; readonly startedAt: Date; readonly next: Date | null }
  | { readonly refused: FailureReason }
);

/** What came of an exchange, with the time of the next attempt; null: there is none. */
export function outcomeOf(
  ctx: Context,
  delivery: DueDelivery,
  result: DeliveryResult,
  startedAt: Date,
): Outcome {
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

/** Whether an outcome `o` decides what becomes of its delivery `d`, as that is by now. */
const DECIDES = `(o.status = 'delivered' AND d.status <> 'delivered'
         OR d.status = 'pending' AND d.restarted_after = o.restarted_after AND o.is_held)`;

// One statement, so one commit: the attempts, the deliveries' states, and what they say of the endpoint. A run that was overtaken,
// because it took longer than its hold, changes nothing any more but that what succeeded was delivered; nor does a failure of what was
// dropped, or asked for again, while it was in the air. Its attempt counts all the same: the next one's number must be free.
const recordStatement = sql<{ id: string }>(
  'record_outcomes',
  `WITH outcome AS (
     SELECT o.*, EXISTS (SELECT FROM webhook_endpoints WHERE id = $1 AND leased_by = $2) AS is_held FROM unnest($3::text[], $4::int[], $5::text[], $6::text[], $7::timestamptz[], $8::int[], $9::int[], $10::text[], $11::text[],
       $12::text[], $13::timestamptz[], $14::text[], $15::text[], $16::int[])
       AS o (id, number, url, address, started_at, duration_ms, status_code, error_class, error_detail, excerpt, next_at, status, because,
         restarted_after)
   ), attempt AS (
     INSERT INTO delivery_attempts (delivery_id, number, url, remote_address, started_at, duration_ms, status_code, error_class,
       error_detail, response_excerpt, next_attempt_at)
     SELECT id, number, url, address, started_at, duration_ms, status_code, error_class, error_detail, excerpt, next_at
     FROM outcome WHERE started_at IS NOT NULL
     ON CONFLICT DO NOTHING
   ), delivery AS (
     UPDATE deliveries d SET attempts = greatest(d.attempts, o.number),
       status = CASE WHEN ${DECIDES} THEN o.status ELSE d.status END,
       failed_because = CASE WHEN ${DECIDES} THEN o.because ELSE d.failed_because END,
       next_attempt_at = CASE WHEN ${DECIDES} THEN o.next_at ELSE d.next_attempt_at END,
       finished_at = CASE WHEN NOT ${DECIDES} THEN d.finished_at WHEN o.status <> 'pending' THEN $17::timestamptz END
     FROM outcome o WHERE d.id = o.id AND (${DECIDES} OR d.attempts < o.number)
   )
   UPDATE webhook_endpoints SET leased_until = $18, concurrency_limit = $19, failures = $20, circuit_open_until = $21, failing_since = $22,
     last_success_at = coalesce($23, last_success_at), last_failure_at = coalesce($24, last_failure_at)
   WHERE id = $1 AND leased_by = $2 RETURNING id`,
);

/** Records what came of some deliveries and answers the endpoint's new pace; null when another run has taken the endpoint over. */
export async function recordOutcomes(
  ctx: Context,
  { endpointId, owner }: EndpointLease,
  outcomes: readonly Outcome[],
  { throttle: before, waiting }: Pick<AcquiredEndpoint, 'throttle' | 'waiting'>,
): Promise<Throttle | null> {
  const now = ctx.now();
  const exchanged = outcomes.flatMap((outcome) => ('result' in outcome ? [outcome.result] : []));
  const succeeded = exchanged.filter(({ ok }) => ok).length;
  const failed = exchanged.length - succeeded;
  const [firstDelaySeconds = 0] = ctx.config.webhookRetrySeconds;
  const after = throttleAfter(before, { succeeded, failed, waiting, now, firstDelaySeconds });
  const held = await runOne(ctx.db, recordStatement, [
    endpointId,
    owner,
    ...columnsOf(outcomes),
    now,
    leaseEnd(ctx),
    after.concurrencyLimit,
    after.failures,
    after.circuitOpenUntil,
    after.failingSince,
    succeeded > 0 ? now : null,
    failed > 0 ? now : null,
  ]);
  return held && after;
}

function columnsOf(outcomes: readonly Outcome[]): unknown[] {
  const rows = outcomes.map((outcome) => {
    const { id, attempts, url, restarted_after: restartedAfter } = outcome.delivery;
    if ('refused' in outcome)
      return [
        id,
        attempts,
        '',
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        'failed',
        outcome.refused,
        restartedAfter,
      ];
    const { result, startedAt, next } = outcome;
    const pending = next === null ? 'failed' : 'pending';
    return [
      id,
      attempts + 1,
      url ?? '',
      result.remoteAddress,
      startedAt,
      Math.round(result.durationMs),
      result.statusCode,
      result.errorClass,
      result.errorDetail,
      result.excerpt,
      next,
      result.ok ? 'delivered' : pending,
      result.ok || next !== null ? null : 'retries_exhausted',
      restartedAfter,
    ];
  });
  return Array.from({ length: 14 }, (_, column) => rows.map((row) => row[column]));
}
