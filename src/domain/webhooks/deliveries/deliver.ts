import { randomUUID } from 'node:crypto';
import type { Context } from '../../../platform/context.ts';
import { signWebhook } from '../../../sdk/sign.ts';
import type { WebhookClient } from '../client/client.ts';
import { InFlight } from './in-flight.ts';
import { releaseEndpoint, yieldEndpoint } from './release.ts';
import { isFailingTooLong, type Throttle } from '../endpoints/throttle.ts';
import {
  deferToOwner,
  acquireEndpoint,
  type DueDelivery,
  type EndpointLease,
  type AcquiredEndpoint,
} from './acquire.ts';
import { outcomeOf, recordOutcomes, type Outcome } from './record.ts';
import { secretBoxOf } from '../secrets/secret-box.ts';
import { disableEndpoint } from '../endpoints/disable.ts';

/** A run begins no exchange after this, so that a worker which is told to end does so within the deadline of one exchange. */
const RUN_MS = 5_000;
/** While exchanges are slow, new deliveries to the endpoint are looked for this often. */
const LOOK_AGAIN_MS = 250;

/**
 * Delivers what is due at one endpoint: prepare (hold and read) -> POST -> record, over and over, with no transaction and no lock held
 * in between. One run at a time sends to an endpoint, so that its pace holds over all processes, and no payment has two exchanges in
 * flight there. Every attempt is a row, whatever came of it; 2xx ends a delivery, anything else schedules its next attempt until the
 * schedule is used up. A run that dies leaves nothing but a hold that ends: what was in the air goes again. `receiver` takes every event
 * where it is not null.
 */
export async function deliverDue(
  ctx: Context,
  exchange: WebhookClient,
  endpointId: string,
  receiver: string | null = null,
): Promise<void> {
  const hold: EndpointLease = { endpointId, owner: randomUUID() };
  const endsAt = performance.now() + RUN_MS;
  const inFlight = new InFlight();
  let prepared = await acquireEndpoint(ctx, hold, [], receiver);
  if (prepared === null) return deferToOwner(ctx, endpointId);
  let isOvertaken = false;
  for (;;) {
    begin(ctx, exchange, prepared, inFlight);
    if (!inFlight.isEmpty) {
      const outcomes = await inFlight.take(LOOK_AGAIN_MS);
      const throttle: Throttle | null =
        outcomes.length === 0 ? prepared.throttle : await settle(ctx, hold, outcomes, prepared);
      if (throttle === null) isOvertaken = true;
      else prepared = { ...prepared, throttle };
    }
    const isOver = isOvertaken || performance.now() > endsAt;
    if (inFlight.isEmpty) {
      if (isOver) return yieldEndpoint(ctx, hold);
      // What was added since the look, `leave` notices by itself.
      if (!prepared.hasMore && (await releaseEndpoint(ctx, hold, prepared))) return;
    }
    const next: AcquiredEndpoint | null = isOver
      ? null
      : await acquireEndpoint(ctx, hold, inFlight.payments, receiver);
    if (next === null && !isOver) isOvertaken = true;
    prepared = next ?? { ...prepared, due: [] };
  }
}

/** Begins the exchanges of what is due. Throws SecretBoxError, before any of them, when the merchant's secrets cannot be opened. */
function begin(
  ctx: Context,
  exchange: WebhookClient,
  { due, secrets: sealed, merchantId, isDisabled }: AcquiredEndpoint,
  inFlight: InFlight,
): void {
  if (due.length === 0) return;
  const box = secretBoxOf(ctx.config);
  const secrets = sealed.map(({ key_id, ciphertext }) =>
    box.decrypt({ keyId: key_id, ciphertext: Buffer.from(ciphertext, 'base64') }, merchantId),
  );
  const outcome = async (delivery: DueDelivery): Promise<Outcome> => {
    if (isDisabled) return { delivery, refused: 'endpoint_switched_off' };
    if (delivery.url === null) return { delivery, refused: 'webhooks_disabled' };
    const startedAt = ctx.now();
    const { event_id: eventId, body, url } = delivery;
    const headers = signWebhook({ eventId, rawBody: body, secrets, now: ctx.systemNow() });
    return outcomeOf(ctx, delivery, await exchange.post(url, headers, body), startedAt);
  };
  for (const delivery of due) inFlight.add(delivery.payment_id, outcome(delivery));
}

/**
 * Records outcomes, and switches an endpoint off that is gone or has failed for days. Answers the new pace; null: another run has taken
 * the endpoint over.
 */
async function settle(
  ctx: Context,
  hold: EndpointLease,
  outcomes: readonly Outcome[],
  prepared: AcquiredEndpoint,
): Promise<Throttle | null> {
  const throttle = await recordOutcomes(ctx, hold, outcomes, prepared);
  for (const outcome of outcomes) log(ctx, outcome);
  if (throttle === null) return null;
  if (outcomes.some((outcome) => 'result' in outcome && outcome.result.statusCode === 410))
    await disableEndpoint(ctx, hold.endpointId, 'gone');
  else if (isFailingTooLong(throttle, ctx.now())) await disableEndpoint(ctx, hold.endpointId, 'failing');
  return throttle;
}

function log(ctx: Context, outcome: Outcome): void {
  const { id, payment_id, event_id, attempts } = outcome.delivery;
  const fields = { delivery_id: id, payment_id, event_id };
  if ('refused' in outcome)
    return void ctx.log.info('webhook refused', { ...fields, because: outcome.refused });
  const { result, next } = outcome;
  const attempted = { ...fields, attempt: attempts + 1, status_code: result.statusCode };
  if (result.ok) return void ctx.log.info('webhook delivered', attempted);
  const failed = { ...attempted, error: result.errorDetail };
  if (next === null) ctx.log.error('webhook given up', failed);
  else ctx.log.warn('webhook not delivered yet', { ...failed, next_attempt_at: next });
}
