import { listEndpoints } from '../../../../domain/webhooks/endpoint-list/list.ts';
import { WebhookConfigBody } from '../../../../domain/webhooks/endpoints/schemas.ts';
import { changeWebhookConfig } from '../../../../domain/webhooks/endpoints/settings.ts';
import { changeEndpoint, registerEndpoint } from '../../../../domain/webhooks/registrations/change.ts';
import {
  acting,
  DESK_PER_MINUTE,
  type AtMerchant,
  type DeskReply,
  type DeskRoute,
} from '../../shell/route.ts';
import { attempt, callerOf, checked, claimOf } from '../../verbs.ts';
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
  return 'fault' in read ? endpointsPage(visit, await list({}), read.fault) : endpointsPage(visit, read.done);
}

async function show(visit: AtMerchant, fault: string | null): Promise<DeskReply> {
  return endpointPage(visit, await readNamed(visit), fault);
}

async function add(visit: AtMerchant): Promise<DeskReply> {
  const claim = claimOf(visit, 'endpoints');
  const added = await attempt(visit, () =>
    registerEndpoint(acting(visit), callerOf(visit), readSettings(visit, true), claim),
  );
  if ('fault' in added) return newEndpointPage(visit, added.fault);
  const { id } = JSON.parse(added.done.text) as { id: string };
  return { to: `${endpointsPath(visit)}/${id}?said=added` };
}

async function save(visit: AtMerchant): Promise<DeskReply> {
  const id = namedEndpoint(visit);
  const saved = await attempt<unknown>(visit, () =>
    id === null
      ? saveDefault(visit)
      : changeEndpoint(acting(visit), callerOf(visit), id, ({ is_enabled }) =>
          readSettings(visit, is_enabled),
        ),
  );
  return 'fault' in saved ? show(visit, saved.fault) : { to: `${visit.path}?said=saved` };
}

/** A first URL switches events on; without a URL there are none. */
function saveDefault(visit: AtMerchant): Promise<unknown> {
  const url = visit.field('url').trim();
  return changeWebhookConfig(acting(visit), visit.merchant.merchant_id, (before) => {
    const enabled = url !== '' && (before.enabled || before.webhookUrl === null);
    return checked(visit, WebhookConfigBody, { webhookUrl: url === '' ? null : url, enabled });
  });
}
