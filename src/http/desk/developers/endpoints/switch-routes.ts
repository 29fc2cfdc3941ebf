import { enableEndpoint } from '../../../../domain/webhooks/endpoint-list/enable.ts';
import { changeWebhookConfig, readWebhookConfig } from '../../../../domain/webhooks/endpoints/settings.ts';
import { changeEndpoint } from '../../../../domain/webhooks/registrations/change.ts';
import { removeEndpoint } from '../../../../domain/webhooks/registrations/remove.ts';
import {
  acting,
  DESK_PER_MINUTE,
  type AtMerchant,
  type DeskReply,
  type DeskRoute,
} from '../../shell/route.ts';
import { attempt } from '../frame/forms.ts';
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
      return endpoint === 'missing' || endpoint.id === null ? 'missing' : deletePage(visit, endpoint);
    },
  },
  {
    ...POST,
    name: 'delete endpoint',
    path: `${ONE}/delete`,
    async handle(visit: AtMerchant) {
      const named = namedEndpoint(visit);
      if (named === 'missing' || named.id === null) return 'missing';
      const { id } = named;
      const { merchant_id: merchantId } = visit.merchant;
      const removed = await attempt(visit, () => removeEndpoint(acting(visit), { merchantId }, id));
      return removed === 'missing' ? removed : { to: `${endpointsPath(visit)}?said=removed` };
    },
  },
];

type Said = 'paused' | 'resumed' | 'switchedOn';

async function change(visit: AtMerchant, said: Said): Promise<DeskReply> {
  const named = namedEndpoint(visit);
  if (named === 'missing') return named;
  const { id } = named;
  const changed = await attempt(visit, () =>
    said === 'switchedOn' ? switchOn(visit, id) : setEnabled(visit, id, said === 'resumed'),
  );
  if (changed === 'missing') return changed;
  if (!('fault' in changed)) return { to: `${endpointsPath(visit)}?said=${said}` };
  const endpoint = await readNamed(visit);
  return endpoint === 'missing' ? endpoint : endpointPage(visit, endpoint, changed.fault);
}

async function setEnabled(visit: AtMerchant, id: string | null, enabled: boolean): Promise<void> {
  const { merchant_id: merchantId } = visit.merchant;
  if (id === null) {
    const { webhookUrl } = await readWebhookConfig(visit.ctx.db, merchantId);
    await changeWebhookConfig(acting(visit), merchantId, {
      webhookUrl,
      enabled: enabled && webhookUrl !== null,
    });
    return;
  }
  await changeEndpoint(acting(visit), { merchantId }, id, (before) => ({
    url: before.url,
    enabled,
    event_types: before.event_types,
    description: before.description,
    payload: before.payload,
  }));
}

/** A callback_url is named by a field. */
async function switchOn(visit: AtMerchant, id: string | null): Promise<void> {
  const { merchant_id: merchantId } = visit.merchant;
  const url = visit.field('url');
  const named = id === null ? (url === '' ? {} : { url }) : { id };
  await enableEndpoint(acting(visit), { merchantId }, named, null);
}
