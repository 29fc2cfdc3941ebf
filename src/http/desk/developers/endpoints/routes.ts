import { listEndpoints } from '../../../../domain/webhooks/endpoint-list/list.ts';
import { WebhookConfigBody } from '../../../../domain/webhooks/endpoints/schemas.ts';
import { changeWebhookConfig, readWebhookConfig } from '../../../../domain/webhooks/endpoints/settings.ts';
import { changeEndpoint, registerEndpoint } from '../../../../domain/webhooks/registrations/change.ts';
import { getValidator } from '../../../../domain/api/validator.ts';
import {
  acting,
  DESK_PER_MINUTE,
  type AtMerchant,
  type DeskReply,
  type DeskRoute,
} from '../../shell/route.ts';
import { attempt, claimOf } from '../frame/forms.ts';
import { DEVELOPERS } from '../frame/frame.ts';
import { endpointPage, newEndpointPage } from './endpoint-page.ts';
import { readSettings } from './form.ts';
import { endpointsPage } from './list-page.ts';
import { endpointsPath, namedEndpoint, readNamed } from './named.ts';

const ENDPOINTS = `${DEVELOPERS}/endpoints`;
const READ = { access: 'member', method: 'get', right: 'webhooks:read', perMinute: DESK_PER_MINUTE } as const;
const WRITE = { ...READ, right: 'webhooks:write' } as const;
const POST = { ...WRITE, method: 'post' } as const;

/** Where events go: the merchant's own URL, and the endpoints that are registered beside it. */
export const endpointRoutes: readonly DeskRoute[] = [
  { ...READ, name: 'endpoints', path: ENDPOINTS, handle: showAll },
  {
    ...WRITE,
    name: 'new endpoint',
    path: `${ENDPOINTS}/new`,
    handle: (visit: AtMerchant) => Promise.resolve(newEndpointPage(visit, null)),
  },
  { ...POST, name: 'add endpoint', path: `${ENDPOINTS}/new`, handle: add },
  {
    ...READ,
    name: 'endpoint',
    path: `${ENDPOINTS}/:endpoint`,
    handle: (visit: AtMerchant) => show(visit, null),
  },
  { ...POST, name: 'set endpoint', path: `${ENDPOINTS}/:endpoint`, handle: save },
];

async function showAll(visit: AtMerchant): Promise<DeskReply> {
  const { ctx, merchant, query } = visit;
  const cursor = query.get('cursor') ?? undefined;
  const list = (from: { cursor?: string }) => listEndpoints(ctx.db, merchant.merchant_id, from, ctx.now());
  const read = await attempt(visit, () => list(cursor === undefined ? {} : { cursor }));
  if (read === 'missing') return read;
  return 'fault' in read ? endpointsPage(visit, await list({}), read.fault) : endpointsPage(visit, read.done);
}

async function show(visit: AtMerchant, fault: string | null): Promise<DeskReply> {
  const endpoint = await readNamed(visit);
  return endpoint === 'missing' ? endpoint : endpointPage(visit, endpoint, fault);
}

async function add(visit: AtMerchant): Promise<DeskReply> {
  const { merchant_id: merchantId } = visit.merchant;
  const added = await attempt(visit, () =>
    registerEndpoint(acting(visit), { merchantId }, readSettings(visit, true), claimOf(visit, 'endpoints')),
  );
  if (added === 'missing') return added;
  if ('fault' in added) return newEndpointPage(visit, added.fault);
  const { id } = JSON.parse(added.done.text) as { id: string };
  return { to: `${endpointsPath(visit)}/${id}?said=added` };
}

async function save(visit: AtMerchant): Promise<DeskReply> {
  const named = namedEndpoint(visit);
  if (named === 'missing') return named;
  const { id } = named;
  const { merchant_id: merchantId } = visit.merchant;
  const saved = await attempt(visit, async () => {
    if (id === null) return saveDefault(visit, merchantId);
    await changeEndpoint(acting(visit), { merchantId }, id, (before) =>
      readSettings(visit, before.is_enabled),
    );
  });
  if (saved === 'missing') return saved;
  return 'fault' in saved ? show(visit, saved.fault) : { to: `${visit.path}?said=saved` };
}

/** A first URL switches events on; without a URL there are none. */
async function saveDefault(visit: AtMerchant, merchantId: string): Promise<void> {
  const { ctx, field } = visit;
  const url = field('url').trim();
  const before = await readWebhookConfig(ctx.db, merchantId);
  const enabled = url !== '' && (before.enabled || before.webhookUrl === null);
  const check = getValidator({ allowPrivate: ctx.config.allowPrivateNetworks }).compile(
    WebhookConfigBody,
    'body',
  );
  await changeWebhookConfig(
    acting(visit),
    merchantId,
    check({ webhookUrl: url === '' ? null : url, enabled }),
  );
}
