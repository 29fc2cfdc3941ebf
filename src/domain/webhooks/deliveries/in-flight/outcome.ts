import type { Context } from '../../../../platform/context.ts';
import { hostOf } from '../../../../platform/logging/config-change.ts';
import { attemptSeconds, attemptsTotal } from '../../../../platform/metrics/measures.ts';
import type { DeliveryResult } from '../../client/client.ts';
import type { DueDelivery } from '../../endpoints/leases/lease.ts';
import { nextAttemptAt } from '../retry.ts';
import type { FailureReason } from '../schemas.ts';

/**
 * What became of a due delivery: an attempt, the reason why nothing was sent, or when there may be a place at
 * its origin (client/places.ts): until then nothing is sent to its endpoint.
 */
export type DeliveryOutcome = { readonly delivery: DueDelivery } & (
  | { readonly result: DeliveryResult; readonly startedAt: Date; readonly next: Date | null }
  | { readonly notSent: FailureReason }
  | { readonly deferredTo: Date }
);

/** The status by which a receiver says that it wants no more. */
export const GONE = 410;

export const isDelivered = (outcome: DeliveryOutcome): boolean => 'result' in outcome && outcome.result.ok;

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

/** The absent columns are null; without `started_at` there was no attempt. */
export interface ResultRow {
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

/** Returns what is stored of an outcome. */
export function resultRow(outcome: DeliveryOutcome): ResultRow {
  const { id, attempts, url, restarted_after } = outcome.delivery;
  if ('notSent' in outcome)
    return { delivery_id: id, restarted_after, attempts, status: 'failed', failed_because: outcome.notSent };
  if ('deferredTo' in outcome) {
    const next_attempt_at = outcome.deferredTo;
    return {
      delivery_id: id,
      restarted_after,
      attempts,
      status: 'pending',
      failed_because: null,
      next_attempt_at,
    };
  }
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

type Ended = Exclude<DeliveryOutcome, { readonly deferredTo: Date }>;

/** Counts and logs what became of a due delivery. */
export function reportOutcome(
  ctx: Context,
  outcome: DeliveryOutcome,
  endpointId: string,
  merchantId: string,
): void {
  if ('deferredTo' in outcome) return;
  countOutcome(outcome);
  logOutcome(ctx, outcome, endpointId, merchantId);
}

/** By its error class, or by why nothing was sent. */
function countOutcome(outcome: Ended): void {
  if ('notSent' in outcome) return attemptsTotal.inc({ outcome: 'not_sent', error: outcome.notSent });
  const { result, next } = outcome;
  const failed = next === null ? 'exhausted' : 'retried';
  attemptsTotal.inc({ outcome: result.ok ? 'delivered' : failed, error: result.errorClass ?? 'none' });
  attemptSeconds.observe({ outcome: result.ok ? 'delivered' : 'failed' }, result.durationMs / 1000);
}

function logOutcome(ctx: Context, outcome: Ended, endpointId: string, merchantId: string): void {
  const { id, payment_id, event_id, attempts } = outcome.delivery;
  const ids = { delivery_id: id, payment_id, event_id, merchant_id: merchantId, endpoint_id: endpointId };
  // Without path and query, in which merchants put tokens.
  const fields = { ...ids, receiver: outcome.delivery.url && hostOf(outcome.delivery.url) };
  if ('notSent' in outcome)
    return void ctx.log.info('webhook not sent', { ...fields, because: outcome.notSent });
  const { result, next } = outcome;
  const attempted = {
    ...fields,
    attempt: attempts + 1,
    status_code: result.statusCode,
    duration_ms: Math.round(result.durationMs),
  };
  if (result.ok) return void ctx.log.info('webhook delivered', attempted);
  const failed = { ...attempted, error: result.errorDetail };
  if (next === null) ctx.log.error('webhook delivery failed: retries exhausted', failed);
  else if (result.statusCode === GONE) ctx.log.warn('webhook attempt failed: the endpoint is gone', failed);
  else ctx.log.warn('webhook attempt failed; it will be retried', { ...failed, next_attempt_at: next });
}
