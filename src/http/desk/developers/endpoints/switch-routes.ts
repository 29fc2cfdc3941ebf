import { enableEndpoint } from '../../../../domain/webhooks/endpoint-list/enable.ts';
import { EnableEndpointBody } from '../../../../domain/webhooks/endpoint-list/schemas.ts';
import { changeWebhookConfig } from '../../../../domain/webhooks/endpoints/settings.ts';
import { changeEndpoint } from '../../../../domain/webhooks/registrations/change.ts';
import { removeEndpoint } from '../../../../domain/webhooks/registrations/remove.ts';
import {
  acting,
  DESK_PER_MINUTE,
  type AtMerchant,
  type DeskReply,
  type DeskRoute,
} from '../../shell/route.ts';
import { attempt, callerOf, checked } from '../../verbs.ts';
import { DEVELOPERS } from '../frame/frame.ts';
import { deletePage, endpointPage } from './endpoint-page.ts';
import { endpointsPath, namedEndpoint, readNamed } from './named.ts';

const ONE = `${DEVELOPERS}/endpoints/:endpoint`;
const POST = {
  access: 'member',
  method: 'post',
  right: 'webhooks:write',
  perMinute: DESK_PER_MINUTE,
} as const;

/** What pauses endpoints, lets them go on, and deletes them. */
export const endpointSwitchRoutes: readonly DeskRoute[] = [
  {
    ...POST,
    name: 'pause endpoint',
    path: `${ONE}/pause`,
    handle: (visit: AtMerchant) => change(visit, 'paused'),
  },
  {
    ...POST,
    name: 'resume endpoint',
    path: `${ONE}/resume`,
    handle: (visit: AtMerchant) => change(visit, 'resumed'),
  },
  {
    ...POST,
    name: 'switch endpoint on',
    path: `${ONE}/switch-on`,
    handle: (visit: AtMerchant) => change(visit, 'switchedOn'),
  },
  {
    ...POST,
    method: 'get',
    name: 'endpoint to delete',
    path: `${ONE}/delete`,
    async handle(visit: AtMerchant) {
      const endpoint = await readNamed(visit);
      return endpoint.id === null ? 'missing' : deletePage(visit, endpoint);
    },
  },
  {
    ...POST,
    name: 'delete endpoint',
    path: `${ONE}/delete`,
    async handle(visit: AtMerchant) {
      const id = namedEndpoint(visit);
      if (id === null) return 'missing';
      await removeEndpoint(acting(visit), callerOf(visit), id);
      return { to: `${endpointsPath(visit)}?said=removed` };
    },
  },
];

type Said = 'paused' | 'resumed' | 'switchedOn';

async function change(visit: AtMerchant, said: Said): Promise<DeskReply> {
  const id = namedEndpoint(visit);
  const changed = await attempt<unknown>(visit, () =>
    said === 'switchedOn' ? switchOn(visit, id) : setEnabled(visit, id, said === 'resumed'),
  );
  return 'fault' in changed
    ? endpointPage(visit, await readNamed(visit), changed.fault)
    : { to: `${endpointsPath(visit)}?said=${said}` };
}

function setEnabled(visit: AtMerchant, id: string | null, enabled: boolean): Promise<unknown> {
  if (id === null)
    return changeWebhookConfig(acting(visit), visit.merchant.merchant_id, ({ webhookUrl }) => ({
      webhookUrl,
      enabled: enabled && webhookUrl !== null,
    }));
  return changeEndpoint(acting(visit), callerOf(visit), id, (before) => ({
    url: before.url,
    enabled,
    event_types: before.event_types,
    description: before.description,
    payload: before.payload,
  }));
}

/** A callback_url is named by a field. Throws ValidationError where that is no URL. */
async function switchOn(visit: AtMerchant, id: string | null): Promise<unknown> {
  const url = visit.field('url');
  const named = id === null ? (url === '' ? {} : { url }) : { id };
  return enableEndpoint(acting(visit), callerOf(visit), checked(visit, EnableEndpointBody, named), null);
}
