import { dispatchEvents } from '../../../../src/domain/events/dispatch.ts';
import { sweepEvents } from '../../../../src/domain/events/sweep.ts';
import { deliverDue } from '../../../../src/domain/webhooks/deliveries/deliver.ts';
import type { DeliveryOutcome } from '../../../../src/domain/webhooks/deliveries/in-flight/outcome.ts';
import { recordOutcomes, UNDECIDED } from '../../../../src/domain/webhooks/deliveries/record.ts';
import { redeliver } from '../../../../src/domain/webhooks/deliveries/redeliver.ts';
import { redeliverRange } from '../../../../src/domain/webhooks/deliveries/range/redeliver-range.ts';
import type {
  AcquiredEndpoint,
  EndpointLease,
} from '../../../../src/domain/webhooks/endpoints/leases/lease.ts';
import { setWebhookConfig } from '../../../../src/domain/webhooks/endpoints/settings.ts';
import { sweepEndpoints } from '../../../../src/domain/webhooks/endpoints/sweep.ts';
import { rotateSecret } from '../../../../src/domain/webhooks/secrets/rotate.ts';
import { ACTORS, at, inTurn, type Actor, type RacedPayment } from '../actors.ts';

/** What the actors of webhooks act on: one endpoint, and the deliveries that it has. */
export interface RacedWebhooks extends RacedPayment {
  readonly endpointId: string;
  readonly receiver: string;
  /** That is asked for again. */
  readonly deliveryId: string;
  /** That are dispatched. */
  readonly eventIds: readonly string[];
  /** How many requests have left, by the ids of events whose deliveries have ended. */
  readonly ended: ReadonlyMap<string, number>;
  /** The answer to what a run has sent whose lease a PUT has ended; null: there is none. */
  readonly late: Late | null;
}

/** The answer to a request that has left. */
export interface Late {
  readonly lease: EndpointLease;
  readonly acquired: AcquiredEndpoint;
  readonly outcome: DeliveryOutcome;
}

type WebhookActor = Actor<RacedWebhooks>;

/** Before every event. */
const FROM = '2026-01-01';

const deliver: WebhookActor = ({ ctx, adapters, payment }) =>
  deliverDue(at(ctx, payment.now), adapters.webhooks, payment.endpointId);
const redeliverOne: WebhookActor = ({ ctx, caller, payment }) =>
  redeliver(at(ctx, payment.now), caller, { id: payment.deliveryId, claim: null });
const redeliverAllOf =
  (which: 'failed' | 'all'): WebhookActor =>
  ({ ctx, caller, payment }) =>
    redeliverRange(at(ctx, payment.now), caller, { from_date: FROM, which }, null);

/** What changes endpoints, deliveries and events, and two of those whose payments record events. */
export const WEBHOOK_ACTORS = {
  deliver,
  'dispatch events': ({ ctx, payment }) => dispatchEvents(at(ctx, payment.now), payment.eventIds),
  'record a late answer': async ({ ctx, payment: { now, late } }) => {
    if (late === null) return;
    await recordOutcomes(at(ctx, now), late.lease, [late.outcome], late.acquired, UNDECIDED);
  },
  'redeliver one': redeliverOne,
  'redeliver one, then deliver': inTurn(redeliverOne, deliver),
  'redeliver what failed': redeliverAllOf('failed'),
  'redeliver all': redeliverAllOf('all'),
  'set the URL': ({ ctx, caller, payment: { receiver, now } }) =>
    setWebhookConfig(ctx.db, caller.merchantId, { webhookUrl: `${receiver}/moved`, enabled: true }, now),
  'rotate the secret': ({ ctx, caller, payment }) =>
    rotateSecret(at(ctx, payment.now), caller, { overlap_hours: 1 }, null),
  'sweep endpoints': ({ ctx, payment }) => sweepEndpoints(at(ctx, payment.now)),
  'sweep events': ({ ctx, payment }) => sweepEvents(at(ctx, payment.now)),
  cancel: ACTORS.cancel,
  expire: ACTORS.expire,
} as const satisfies Record<string, WebhookActor>;

export type WebhookActorName = keyof typeof WEBHOOK_ACTORS;
