import { addSeconds } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import { hostOf } from '../../../platform/logging/config-change.ts';
import { startSpan } from '../../../platform/traces/traces.ts';
import { signWebhook } from '../../../sdk/sign.ts';
import { sentBody } from '../../payments/lifecycle/event.ts';
import type { DeliveryResult, WebhookClient } from '../client/client.ts';
import { placesOf } from '../client/places.ts';
import { disableEndpoint } from '../endpoints/leases/disable.ts';
import { isFailingTooLong } from '../endpoints/flow-control.ts';
import { acquireEndpoint, acquireRequestOf } from '../endpoints/leases/acquire.ts';
import { withoutInterrupted } from '../endpoints/leases/interrupted.ts';
import {
  newLease,
  type AcquiredEndpoint,
  type DueDelivery,
  type EndpointLease,
} from '../endpoints/leases/lease.ts';
import { deferToOwner } from '../endpoints/leases/defer.ts';
import { releaseOf, releaseOrWait, yieldEndpoint } from '../endpoints/leases/release.ts';
import { decryptEncoded } from '../secrets/read.ts';
import { ENDPOINT_SECRETS, MERCHANT_SECRETS, SIGNING_KEYS } from '../secrets/store.ts';
import { awaitChange, InFlightDeliveries } from './in-flight/await-change.ts';
import {
  attemptOutcome,
  GONE,
  isDelivered,
  reportOutcome,
  type DeliveryOutcome,
} from './in-flight/outcome.ts';
import { recordOutcomes, UNDECIDED, type Recorded, type FollowUp } from './record.ts';

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

/**
 * Delivers what is due at one endpoint: acquire (lease and read) -> POST -> record, repeatedly, with no
 * transaction and no lock held in between. One run at a time sends to an endpoint, so its concurrency limit
 * holds over all processes, and no payment has two requests in flight there. Every attempt is a row; 2xx ends
 * a delivery, anything else schedules its next attempt until the retry schedule is exhausted. While every
 * request succeeds, recording and the next acquire share a transaction. A run that dies leaves only a lease
 * that ends: requests that were in flight are logged as interrupted, and sent again.
 */
export async function deliverDue(
  ctx: Context,
  client: WebhookClient,
  endpointId: string,
  { receiver = null, runMs = RUN_MS }: DeliverOptions = {},
): Promise<void> {
  const lease = newLease(ctx, endpointId);
  const endsAt = performance.now() + runMs;
  const inFlight = new InFlightDeliveries();
  const acquired = await acquireEndpoint(ctx, lease, [], receiver);
  if (acquired === null) return deferToOwner(ctx, endpointId);
  let endpoint = acquired;
  let isLeaseLost = false;
  for (;;) {
    endpoint = await withoutInterrupted(ctx, lease, endpoint, receiver);
    startRequests(ctx, client, endpoint, inFlight);
    if (!inFlight.isEmpty) {
      const outcomes = await awaitChange(ctx, { endpointId, receiver }, inFlight, endsAt);
      const acquired: AcquiredEndpoint = endpoint;
      const followUp = followUpOf(ctx, lease, acquired, outcomes, { inFlight, receiver, endsAt });
      const { flowControl, isReleased, next }: Recorded =
        outcomes.length === 0
          ? { flowControl: acquired, isReleased: false, next: null }
          : await applyOutcomes(ctx, lease, outcomes, acquired, followUp);
      if (isReleased) return;
      if (next !== null) {
        endpoint = next;
        continue;
      }
      if (flowControl === null) isLeaseLost = true;
      else endpoint = { ...endpoint, ...flowControl };
    }
    const isOver = isLeaseLost || performance.now() > endsAt;
    if (inFlight.isEmpty) {
      // `releaseEndpoint` itself notices what was added since the last read, and what is due still.
      const mayRelease = !isLeaseLost && (isOver || !endpoint.has_more);
      if (mayRelease && (await releaseOrWait(ctx, lease, endpoint))) return;
      if (isOver) return yieldEndpoint(ctx, lease, endpoint.merchant_id);
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
  const { due, merchant_id: merchantId, registration_id: registrationId } = endpoint;
  if (due.length === 0) return;
  const secrets =
    registrationId === null
      ? decryptEncoded(ctx, endpoint.secrets, MERCHANT_SECRETS.aadOf(merchantId))
      : decryptEncoded(ctx, endpoint.secrets, ENDPOINT_SECRETS.aadOf(registrationId));
  const signingKeys = decryptEncoded(ctx, endpoint.signing_keys, SIGNING_KEYS.aadOf(merchantId));
  const deliver = async (delivery: DueDelivery): Promise<DeliveryOutcome> => {
    if (endpoint.is_disabled) return { delivery, notSent: 'endpoint_switched_off' };
    if (delivery.url === null) return { delivery, notSent: 'webhooks_disabled' };
    const startedAt = ctx.now();
    const { event_id: eventId, url, type } = delivery;
    const event = { id: eventId, type, full: delivery.body };
    const body = sentBody(endpoint.payload, ctx.config.publicUrl, event);
    const headers = signWebhook({ eventId, rawBody: body, secrets, signingKeys, now: ctx.systemNow() });
    const place = placesOf(client).take(merchantId, url, ctx.systemNow());
    if (typeof place === 'number') return { delivery, deferredTo: addSeconds(ctx.now(), place) };
    const result = await postTraced(client, { url, headers, body }, delivery);
    place(result.ok, ctx.systemNow());
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
 * If every request succeeded, the next step is known before recording: the endpoint is released where nothing
 * more is due, else acquired again. After a failure it is decided once that is recorded.
 */
function followUpOf(
  ctx: Context,
  lease: EndpointLease,
  { has_more, is_waiting, version }: AcquiredEndpoint,
  outcomes: readonly DeliveryOutcome[],
  run: { inFlight: InFlightDeliveries; receiver: string | null; endsAt: number },
): FollowUp {
  const { inFlight, receiver, endsAt } = run;
  if (!outcomes.every(isDelivered)) return UNDECIDED;
  if (inFlight.isEmpty && !has_more)
    return is_waiting ? UNDECIDED : { release: releaseOf(ctx, lease, version, null) };
  if (performance.now() > endsAt) return UNDECIDED;
  return { acquire: acquireRequestOf(ctx, lease, inFlight.paymentIds, receiver) };
}

/** Records outcomes, does what follows them, and disables an endpoint that is gone or has failed too long. */
async function applyOutcomes(
  ctx: Context,
  lease: EndpointLease,
  outcomes: readonly DeliveryOutcome[],
  endpoint: AcquiredEndpoint,
  followUp: FollowUp,
): Promise<Recorded> {
  const recorded = await recordOutcomes(ctx, lease, outcomes, endpoint, followUp);
  const { flowControl } = recorded;
  for (const outcome of outcomes) reportOutcome(ctx, outcome, lease.endpointId, endpoint.merchant_id);
  if (flowControl === null) return recorded;
  if (outcomes.some((outcome) => 'result' in outcome && outcome.result.statusCode === GONE))
    await disableEndpoint(ctx, lease, 'gone');
  else if (isFailingTooLong(flowControl, ctx.now())) await disableEndpoint(ctx, lease, 'failing');
  return recorded;
}
