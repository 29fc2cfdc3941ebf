import { ApiError } from '../../../../domain/api/errors.ts';
import { getValidator } from '../../../../domain/api/validator.ts';
import { getEvent } from '../../../../domain/events/payment-events.ts';
import { sentBody } from '../../../../domain/payments/lifecycle/event.ts';
import { listDeliveries } from '../../../../domain/webhooks/deliveries/list.ts';
import { getDelivery } from '../../../../domain/webhooks/deliveries/read.ts';
import { redeliver } from '../../../../domain/webhooks/deliveries/redeliver.ts';
import { ListDeliveriesQuery, type DeliveryList } from '../../../../domain/webhooks/deliveries/schemas.ts';
import { listRegistrations, readPayload } from '../../../../domain/webhooks/endpoints/registration.ts';
import { readCurrent } from '../../../../platform/replica.ts';
import {
  acting,
  DESK_PER_MINUTE,
  type AtMerchant,
  type DeskReply,
  type DeskRoute,
} from '../../shell/route.ts';
import { attempt, callerOf, claimOf } from '../../verbs.ts';
import { DEVELOPERS } from '../frame/frame.ts';
import { deliveryPage } from './delivery-page.ts';
import { deliveriesPage, deliveriesPath, FILTERS, type Registered } from './list-page.ts';

const DELIVERIES = `${DEVELOPERS}/deliveries`;
const READ = { access: 'member', method: 'get', right: 'webhooks:read', perMinute: DESK_PER_MINUTE } as const;
const check = getValidator({ allowPrivate: false }).compile(ListDeliveriesQuery, 'query');

/** What was sent to whom, and what came back. */
export const deliveryRoutes: readonly DeskRoute[] = [
  {
    ...READ,
    name: 'deliveries',
    path: DELIVERIES,
    async handle(visit: AtMerchant) {
      const registered = await registeredOf(visit);
      const read = await attempt(visit, async () => readList(visit));
      return 'fault' in read
        ? deliveriesPage(visit, null, registered, read.fault)
        : deliveriesPage(visit, read.done, registered, null);
    },
  },
  {
    ...READ,
    name: 'delivery',
    path: `${DELIVERIES}/:delivery`,
    handle: (visit: AtMerchant) => show(visit, null),
  },
  {
    ...READ,
    name: 'redeliver',
    method: 'post',
    right: 'webhooks:write',
    path: `${DELIVERIES}/:delivery/redeliver`,
    async handle(visit: AtMerchant) {
      const id = visit.params.delivery ?? '';
      const claim = claimOf(visit, `redeliver ${id}`);
      const sent = await attempt(visit, () => redeliver(acting(visit), callerOf(visit), { id, claim }));
      return 'fault' in sent ? show(visit, sent.fault) : { to: `${deliveriesPath(visit)}/${id}?said=sent` };
    },
  },
];

/** A form sends its empty fields too. */
function readList({ ctx, merchant, query }: AtMerchant): Promise<DeliveryList> {
  const given = [...FILTERS, 'cursor'].flatMap((name) => {
    const value = (query.get(name) ?? '').trim();
    return value === '' ? [] : [[name, name === 'status' || name === 'type' ? [value] : value] as const];
  });
  const asked = check(Object.fromEntries(given));
  return readCurrent(ctx, (db) => listDeliveries(db, merchant.merchant_id, asked));
}

async function registeredOf({ ctx, merchant }: AtMerchant): Promise<Registered> {
  const registered = await listRegistrations(ctx.db, merchant.merchant_id);
  return new Map(registered.map(({ id, url }) => [id, url]));
}

async function show(visit: AtMerchant, fault: string | null): Promise<DeskReply> {
  const { ctx, merchant, params } = visit;
  const delivery = await getDelivery(ctx.db, merchant.merchant_id, params.delivery ?? '');
  const payload = await readPayload(ctx.db, merchant.merchant_id, delivery.endpoint_id);
  const { event_id: id, type } = delivery;
  const full = await eventOf(visit, id);
  const body = full === null ? null : sentBody(payload, ctx.config.publicUrl, { id, type, full });
  return deliveryPage(visit, { delivery, body, registered: await registeredOf(visit), fault });
}

/** Deliveries refer to events that may be gone. */
async function eventOf({ ctx, merchant }: AtMerchant, id: string): Promise<string | null> {
  try {
    return (await getEvent(ctx.db, merchant.merchant_id, id)).text;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'event_not_found') return null;
    throw error;
  }
}
