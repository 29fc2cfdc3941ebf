import { randomUUID } from 'node:crypto';
import type { Context } from '../../../platform/context.ts';
import { signWebhook } from '../../../sdk/sign.ts';
import type { WebhookClient } from '../client/client.ts';
import {
  acquireEndpoint,
  type AcquiredEndpoint,
  type DueDelivery,
  type EndpointLease,
} from '../endpoints/acquire.ts';
import { disableEndpoint } from '../endpoints/disable.ts';
import { isFailingTooLong, type FlowControl } from '../endpoints/flow-control.ts';
import { recordInterrupted } from '../endpoints/leases/interrupted.ts';
import { releaseOrWait } from '../endpoints/leases/wait.ts';
import { deferToOwner, yieldEndpoint } from '../endpoints/release.ts';
import { secretBoxOf } from '../secrets/secret-box.ts';
import { awaitChange, InFlightDeliveries } from './in-flight.ts';
import { attemptOutcome, recordOutcomes, type DeliveryOutcome } from './record.ts';

/**
 * A run starts no request after this, so that a worker that shuts down ends within the deadline of one
 * request.
 */
const RUN_MS = 5_000;

/** The status by which a receiver says that it wants no more. */
const GONE = 410;

/**
 * Delivers what is due at one endpoint: acquire (lease and read) -> POST -> record, repeatedly, with no
 * transaction and no lock held in between. One run at a time sends to an endpoint, so its concurrency limit
 * holds over all processes, and no payment has two requests in flight there. Every attempt is a row; 2xx ends
 * a delivery, anything else schedules its next attempt until the retry schedule is exhausted. A run that dies
 * leaves only a lease that ends: requests that were in flight are logged as interrupted, and sent again.
 * Every event goes to `receiver` where it is not null.
 */
export async function deliverDue(
  ctx: Context,
  client: WebhookClient,
  endpointId: string,
  receiver: string | null = null,
): Promise<void> {
  const lease: EndpointLease = { endpointId, owner: randomUUID() };
  const endsAt = performance.now() + RUN_MS;
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
      const outcomes = await awaitChange(ctx, endpointId, inFlight, endsAt, receiver);
      const flowControl: FlowControl | null =
        outcomes.length === 0 ? endpoint.flowControl : await applyOutcomes(ctx, lease, outcomes, endpoint);
      if (flowControl === null) isLeaseLost = true;
      else endpoint = { ...endpoint, flowControl };
    }
    const isOver = isLeaseLost || performance.now() > endsAt;
    if (inFlight.isEmpty) {
      if (isOver) return yieldEndpoint(ctx, lease);
      // `releaseEndpoint` itself notices deliveries that were added since the last look.
      if (!endpoint.hasMore && (await releaseOrWait(ctx, lease, endpoint))) return;
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
  { due, secrets: encrypted, merchantId, isDisabled }: AcquiredEndpoint,
  inFlight: InFlightDeliveries,
): void {
  if (due.length === 0) return;
  const box = secretBoxOf(ctx.config);
  const secrets = encrypted.map(({ key_id: keyId, ciphertext }) =>
    box.decrypt({ keyId, ciphertext: Buffer.from(ciphertext, 'base64') }, merchantId),
  );
  const deliver = async (delivery: DueDelivery): Promise<DeliveryOutcome> => {
    if (isDisabled) return { delivery, notSent: 'endpoint_switched_off' };
    if (delivery.url === null) return { delivery, notSent: 'webhooks_disabled' };
    const startedAt = ctx.now();
    const { event_id: eventId, body, url } = delivery;
    const headers = signWebhook({ eventId, rawBody: body, secrets, now: ctx.systemNow() });
    return attemptOutcome(ctx, delivery, await client.post(url, headers, body), startedAt);
  };
  for (const delivery of due) inFlight.add(delivery.payment_id, deliver(delivery));
}

/**
 * Records outcomes, and disables an endpoint that is gone or has failed for too long. Returns the new flow
 * control; null when another run has taken the endpoint's lease over.
 */
async function applyOutcomes(
  ctx: Context,
  lease: EndpointLease,
  outcomes: readonly DeliveryOutcome[],
  endpoint: AcquiredEndpoint,
): Promise<FlowControl | null> {
  const flowControl = await recordOutcomes(ctx, lease, outcomes, endpoint);
  for (const outcome of outcomes) logOutcome(ctx, outcome);
  if (flowControl === null) return null;
  if (outcomes.some((outcome) => 'result' in outcome && outcome.result.statusCode === GONE))
    await disableEndpoint(ctx, lease, 'gone');
  else if (isFailingTooLong(flowControl, ctx.now())) await disableEndpoint(ctx, lease, 'failing');
  return flowControl;
}

function logOutcome(ctx: Context, outcome: DeliveryOutcome): void {
  const { id, payment_id, event_id, attempts } = outcome.delivery;
  const fields = { delivery_id: id, payment_id, event_id };
  if ('notSent' in outcome)
    return void ctx.log.info('webhook not sent', { ...fields, because: outcome.notSent });
  const { result, next } = outcome;
  const attempted = { ...fields, attempt: attempts + 1, status_code: result.statusCode };
  if (result.ok) return void ctx.log.info('webhook delivered', attempted);
  const failed = { ...attempted, error: result.errorDetail };
  if (next === null) ctx.log.error('webhook delivery failed: retries exhausted', failed);
  else if (result.statusCode === GONE) ctx.log.warn('webhook attempt failed: the endpoint is gone', failed);
  else ctx.log.warn('webhook attempt failed; it will be retried', { ...failed, next_attempt_at: next });
}
