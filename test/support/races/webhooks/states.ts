import { randomUUID } from 'node:crypto';
import { sweepEvents } from '../../../../src/domain/events/sweep.ts';
import { expirePayments } from '../../../../src/domain/payments/processing/expire.ts';
import { attemptOutcome, GONE } from '../../../../src/domain/webhooks/deliveries/in-flight/outcome.ts';
import { recordOutcomes, UNDECIDED } from '../../../../src/domain/webhooks/deliveries/record.ts';
import { acquireEndpoint } from '../../../../src/domain/webhooks/endpoints/leases/acquire.ts';
import { disableEndpoint } from '../../../../src/domain/webhooks/endpoints/leases/disable.ts';
import {
  ANSWER,
  callbackEndpointId,
  configure,
  createPaymentsWithDeliveries,
  deliveriesIn,
} from '../../deliveries.ts';
import type { Harness } from '../../harness.ts';
import type { Shop } from '../../shop.ts';
import { raced } from '../states.ts';
import type { RacedState } from '../suite.ts';
import type { Late, RacedWebhooks, WebhookActorName } from './actors.ts';

const DAY = 86_400;

/** Where actors of webhooks have work to do at the same time. */
export const WEBHOOK_STATES: Readonly<Record<string, RacedState<RacedWebhooks, WebhookActorName>>> = {
  'with events to send, and one to dispatch': {
    actors: [
      'deliver',
      'dispatch events',
      'redeliver one',
      'redeliver all',
      'set the URL',
      'rotate the secret',
      'cancel',
      'expire',
    ],
    async prepare(harness, shop, receiver) {
      await configure(harness, receiver);
      await createPaymentsWithDeliveries(harness, shop, 2);
      const id = await shop.create();
      return racedWebhooks(harness, shop, id, { receiver });
    },
  },
  'with an endpoint that is idle, and events that are old': {
    actors: [
      'deliver',
      'redeliver one',
      'redeliver one, then deliver',
      'redeliver all',
      'set the URL',
      'sweep endpoints',
      'sweep events',
    ],
    async prepare(harness, shop, receiver) {
      const { ctx, adapters, merchant } = harness;
      await configure(harness, receiver);
      const id = await shop.create({ callback_url: receiver });
      harness.advance(DAY);
      await expirePayments(ctx, adapters, [id]);
      await harness.work();
      await sweepEvents(ctx);
      harness.advance(91 * DAY);
      return racedWebhooks(harness, shop, id, {
        receiver,
        endpointId: callbackEndpointId(merchant.id, receiver),
      });
    },
  },
  'with what failed while its request was on its way': {
    actors: [
      'deliver',
      'record a late answer',
      'redeliver one',
      'redeliver one, then deliver',
      'redeliver what failed',
      'redeliver all',
      'set the URL',
    ],
    async prepare(harness, shop, receiver) {
      await configure(harness, receiver);
      const [id = ''] = await createPaymentsWithDeliveries(harness, shop, 2);
      const late = await sendTwo(harness);
      await configure(harness, receiver);
      harness.advance(1);
      const deliveryId = late.outcome.delivery.id;
      return racedWebhooks(harness, shop, id, { receiver, late, deliveryId });
    },
  },
};

/** Sends two events, of which one is refused for good: then the endpoint is switched off. */
async function sendTwo({ ctx, merchant }: Harness): Promise<Late> {
  const lease = { endpointId: merchant.id, owner: randomUUID() };
  const acquired = await acquireEndpoint(ctx, lease, [], null);
  const [refused, answered] = acquired?.due ?? [];
  if (acquired === null || refused === undefined || answered === undefined)
    throw new Error('there are no two deliveries to send');
  const gone = { ...ANSWER, ok: false, statusCode: GONE };
  const outcomes = [attemptOutcome(ctx, refused, gone, ctx.now())];
  await recordOutcomes(ctx, lease, outcomes, acquired, UNDECIDED);
  await disableEndpoint(ctx, lease, 'gone');
  return { lease, acquired, outcome: attemptOutcome(ctx, answered, ANSWER, ctx.now()) };
}

async function racedWebhooks(
  harness: Harness,
  shop: Shop,
  id: string,
  own: Partial<RacedWebhooks> & Pick<RacedWebhooks, 'receiver'>,
): Promise<RacedWebhooks> {
  const deliveries = await deliveriesIn(harness);
  const ended = deliveries.filter(({ status }) => status !== 'pending');
  return {
    ...(await raced(harness, shop, id)),
    endpointId: harness.merchant.id,
    deliveryId: deliveries[0]?.id ?? '',
    eventIds: (await shop.events(id)).map((event) => event.id),
    ended: new Map(
      ended.map(({ id: deliveryId, event_id, attempts }) => [
        event_id,
        attempts + Number(deliveryId === own.late?.outcome.delivery.id),
      ]),
    ),
    late: null,
    ...own,
  };
}
