import type { Context } from '../../../../platform/context.ts';
import { hostOf } from '../../../../platform/logging/config-change.ts';
import { attemptSeconds, attemptsTotal } from '../../../../platform/metrics/measures.ts';
import { GONE, type DeliveryOutcome } from './outcome.ts';

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
