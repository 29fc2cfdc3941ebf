import { randomUUID } from 'node:crypto';
import type { Context } from '../../../platform/context.ts';
import { hostOf } from '../../../platform/logging/config-change.ts';
import { attemptSeconds, attemptsTotal } from '../../../platform/metrics/measures.ts';
import { startSpan } from '../../../platform/traces/traces.ts';
import { signWebhook } from '../../../sdk/sign.ts';
import { thinEvent } from '../../payments/lifecycle/event.ts';
import type { DeliveryResult, WebhookClient } from '../client/client.ts';
import { disableEndpoint } from '../endpoints/leases/disable.ts';
import { isFailingTooLong } from '../endpoints/flow-control.ts';
import { acquireEndpoint, askFor, type Ask } from '../endpoints/leases/acquire.ts';
import { recordInterrupted } from '../endpoints/leases/interrupted.ts';
import type { AcquiredEndpoint, DueDelivery, EndpointLease } from '../endpoints/leases/lease.ts';
import { releaseOrWait } from '../endpoints/leases/wait.ts';
import { deferToOwner, yieldEndpoint } from '../endpoints/leases/release.ts';
import { decryptEncoded } from '../secrets/read.ts';
import { ENDPOINT_SECRETS, MERCHANT_SECRETS, SIGNING_KEYS } from '../secrets/store.ts';
import { awaitChange, InFlightDeliveries } from './in-flight/await-change.ts';
import { attemptOutcome, isDelivered, type DeliveryOutcome } from './in-flight/outcome.ts';
import { recordOutcomes, type Recorded } from './record.ts';

/**
 * A run starts no request after this, so that a worker that shuts down ends within the deadline of one
 * request.
 */
const RUN_MS = 5_000;

export interface DeliverOptions {
  /** Where every event goes; null: to the merchant's endpoints. */
  readonly receiver?: string | null;
  /** How long requests may start. */
  readonly runMs?: number;
}

/** The status by which a receiver says that it wants no more. */
const GONE = 410;

/**
 * Delivers what is due at one endpoint: acquire (lease and read) -> POST -> record, repeatedly, with no
 * transaction and no lock held in between. One run at a time sends to an endpoint, so its concurrency limit
 * holds over all processes, and no payment has two requests in flight there. Every attempt is a row; 2xx ends
 * a delivery, anything else schedules its next attempt until the retry schedule is exhausted. A run that dies
 * leaves only a lease that ends: requests that were in flight are logged as interrupted, and sent again.
 */
export async function deliverDue(
  ctx: Context,
  client: WebhookClient,
  endpointId: string,
  { receiver = null, runMs = RUN_MS }: DeliverOptions = {},
): Promise<void> {
  const lease: EndpointLease = { endpointId, owner: randomUUID() };
  const endsAt = performance.now() + runMs;
  const inFlight = new InFlightDeliveries();
  let endpoint = await acquireEndpoint(ctx, lease, [], receiver);
  if (endpoint?.hasInterrupted === true) {
    await recordInterrupted(ctx, lease, receiver);
    endpoint = await acquireEndpoint(ctx, lease, [], receiver);
  }
  if (endpoint === null) return deferToOwner(ctx, endpointId);
  let isLeaseLost = false;
  for (;;) {
    startRequests(ctx, client, endpoint, inFlight);
    if (!inFlight.isEmpty) {
      const outcomes = await awaitChange(ctx, { endpointId, receiver }, inFlight, endsAt);
      const acquired: AcquiredEndpoint = endpoint;
      // Nothing is to be decided after these: all was delivered, and nothing more is due.
      const last =
        inFlight.isEmpty && !acquired.hasMore && !acquired.isWaiting && outcomes.every(isDelivered);
      const goesOn =
        !last &&
        outcomes.every(isDelivered) &&
        performance.now() <= endsAt &&
        (!inFlight.isEmpty || acquired.hasMore);
      const ask = goesOn ? askFor(ctx, lease, inFlight.paymentIds, receiver) : null;
      const { flowControl, isReleased, next }: Recorded =
        outcomes.length === 0
          ? { flowControl: acquired.flowControl, isReleased: false, next: null }
          : await applyOutcomes(ctx, lease, outcomes, acquired, { last, ask });
      if (isReleased) return;
      if (next !== null) {
        endpoint = next;
        continue;
      }
      if (flowControl === null) isLeaseLost = true;
      else endpoint = { ...endpoint, flowControl };
    }
    const isOver = isLeaseLost || performance.now() > endsAt;
    if (inFlight.isEmpty) {
      // `releaseEndpoint` itself notices what was added since the last look, and what is due still.
      const mayRelease = !isLeaseLost && (isOver || !endpoint.hasMore);
      if (mayRelease && (await releaseOrWait(ctx, lease, endpoint))) return;
      if (isOver) return yieldEndpoint(ctx, lease);
    }
    const next: AcquiredEndpoint | null = isOver
      ? null
      : await acquireEndpoint(ctx, lease, inFlight.paymentIds, receiver);
    if (next === null && !isOver) isLeaseLost = true;
    endpoint = next ?? { ...endpoint, due: [] };
  }
}

/**
 * Starts the requests of what is due. Throws SecretBoxError, before any of them, when a secret cannot be
 * decrypted.
 */
function startRequests(
  ctx: Context,
  client: WebhookClient,
  endpoint: AcquiredEndpoint,
  inFlight: InFlightDeliveries,
): void {
  const { due, merchantId, registrationId } = endpoint;
  if (due.length === 0) return;
  const secrets =
    registrationId === null
      ? decryptEncoded(ctx, endpoint.secrets, MERCHANT_SECRETS.aadOf(merchantId))
      : decryptEncoded(ctx, endpoint.secrets, ENDPOINT_SECRETS.aadOf(registrationId));
  const signingKeys = decryptEncoded(ctx, endpoint.signingKeys, SIGNING_KEYS.aadOf(merchantId));
  const deliver = async (delivery: DueDelivery): Promise<DeliveryOutcome> => {
    if (endpoint.isDisabled) return { delivery, notSent: 'endpoint_switched_off' };
    if (delivery.url === null) return { delivery, notSent: 'webhooks_disabled' };
    const startedAt = ctx.now();
    const { event_id: eventId, url } = delivery;
    const body =
      endpoint.payload === 'full' ? delivery.body : thinEvent(ctx.config.publicUrl, eventId, delivery.type);
    const headers = signWebhook({ eventId, rawBody: body, secrets, signingKeys, now: ctx.systemNow() });
    const result = await postTraced(client, { url, headers, body }, delivery);
    return attemptOutcome(ctx, delivery, result, startedAt);
  };
  for (const delivery of due) inFlight.add(delivery.payment_id, deliver(delivery));
}

/** POSTs within a span of the event's trace, which the receiver can continue; traces may be off. */
async function postTraced(
  client: WebhookClient,
  { url, headers, body }: { url: string; headers: Readonly<Record<string, string>>; body: string },
  { id, event_id, payment_id, attempts, traceparent }: DueDelivery,
): Promise<DeliveryResult> {
  const span = traceparent === null ? null : startSpan('POST webhook', 'CLIENT', traceparent);
  if (span === null) return client.post(url, headers, body);
  const result = await client.post(url, { ...headers, traceparent: span.traceparent }, body);
  span.end(
    {
      delivery_id: id,
      event_id,
      payment_id,
      attempt: attempts + 1,
      'server.address': hostOf(url),
      'http.response.status_code': result.statusCode,
    },
    { error: result.errorDetail },
  );
  return result;
}

/**
 * Records outcomes, releases the endpoint after the `last` ones, and disables one that is gone or has failed
 * for too long.
 */
async function applyOutcomes(
  ctx: Context,
  lease: EndpointLease,
  outcomes: readonly DeliveryOutcome[],
  endpoint: AcquiredEndpoint,
  options: { last: boolean; ask: Ask | null },
): Promise<Recorded> {
  const recorded = await recordOutcomes(ctx, lease, outcomes, endpoint, options);
  const { flowControl } = recorded;
  for (const outcome of outcomes) countOutcome(outcome);
  for (const outcome of outcomes) logOutcome(ctx, outcome, lease.endpointId, endpoint.merchantId);
  if (flowControl === null) return recorded;
  if (outcomes.some((outcome) => 'result' in outcome && outcome.result.statusCode === GONE))
    await disableEndpoint(ctx, lease, 'gone');
  else if (isFailingTooLong(flowControl, ctx.now())) await disableEndpoint(ctx, lease, 'failing');
  return recorded;
}

/** Counts what became of a due delivery: by its error class, or by why nothing was sent. */
function countOutcome(outcome: DeliveryOutcome): void {
  if ('notSent' in outcome) return attemptsTotal.inc({ outcome: 'not_sent', error: outcome.notSent });
  const { result, next } = outcome;
  const failed = next === null ? 'exhausted' : 'retried';
  attemptsTotal.inc({ outcome: result.ok ? 'delivered' : failed, error: result.errorClass ?? 'none' });
  attemptSeconds.observe({ outcome: result.ok ? 'delivered' : 'failed' }, result.durationMs / 1000);
}

function logOutcome(ctx: Context, outcome: DeliveryOutcome, endpointId: string, merchantId: string): void {
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
