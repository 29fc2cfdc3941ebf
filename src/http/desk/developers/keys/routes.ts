import { issueKey, withdrawKey } from '../../../../domain/merchants/issue-key.ts';
import { listKeys } from '../../../../domain/merchants/key-use.ts';
import { addSeconds } from '../../../../platform/clock.ts';
import { VISIBLE_PREFIX_FORM } from '../../../../platform/values/cells.ts';
import {
  acting,
  COSTLY_PER_MINUTE,
  DESK_PER_MINUTE,
  type AtMerchant,
  type DeskReply,
  type DeskRoute,
} from '../../shell/route.ts';
import { claimOf } from '../../verbs.ts';
import { DEVELOPERS } from '../frame/frame.ts';
import { keyAddressRoutes } from './addresses.ts';
import { keyFormPage, readKeyForm } from './form.ts';
import { keysPage, keysPath, madePage, revokePage } from './pages.ts';

/** Keys that have ended are shown for so long. */
const ENDED_SHOWN_SECONDS = 30 * 86_400;

const OF_KEYS = { access: 'member', right: 'keys:write', perMinute: DESK_PER_MINUTE } as const;

/** The API keys of a merchant. Only the page that answers the form of a new one ever has it. */
export const keyRoutes: readonly DeskRoute[] = [
  {
    ...OF_KEYS,
    name: 'keys',
    method: 'get',
    path: `${DEVELOPERS}/keys`,
    handle: async (visit: AtMerchant) => keysPage(visit, await keysOf(visit)),
  },
  {
    ...OF_KEYS,
    name: 'new key',
    method: 'get',
    path: `${DEVELOPERS}/keys/new`,
    isFresh: true,
    handle: (visit: AtMerchant) => Promise.resolve(keyFormPage(visit, {})),
  },
  {
    ...OF_KEYS,
    name: 'create key',
    method: 'post',
    path: `${DEVELOPERS}/keys/new`,
    isFresh: true,
    perMinute: COSTLY_PER_MINUTE,
    handle: create,
  },
  {
    ...OF_KEYS,
    name: 'key to revoke',
    method: 'get',
    path: `${DEVELOPERS}/keys/:key/revoke`,
    async handle(visit: AtMerchant) {
      const prefix = visit.params.key;
      const key = (await keysOf(visit)).find((one) => one.prefix === prefix && one.revoked_at === null);
      return key === undefined ? 'missing' : revokePage(visit, key);
    },
  },
  {
    ...OF_KEYS,
    name: 'revoke key',
    method: 'post',
    path: `${DEVELOPERS}/keys/:key/revoke`,
    isFresh: true,
    async handle(visit: AtMerchant) {
      const prefix = visit.params.key ?? '';
      // A whole key would be written down.
      if (!VISIBLE_PREFIX_FORM.test(prefix)) return 'missing';
      const isRevoked = await withdrawKey(acting(visit), visit.merchant.merchant_id, prefix);
      return isRevoked ? { to: `${keysPath(visit)}?was=${encodeURIComponent(prefix)}` } : 'missing';
    },
  },
  ...keyAddressRoutes,
];

async function create(visit: AtMerchant): Promise<DeskReply> {
  const asked = readKeyForm(visit);
  if (!('permissions' in asked)) return keyFormPage(visit, asked);
  const key = { ...asked, merchantId: visit.merchant.merchant_id };
  const made = await issueKey(acting(visit), key, claimOf(visit, 'keys'));
  if (made === 'tooMany') return keyFormPage(visit, { whole: visit.texts.developers.keys.tooMany });
  return madePage(visit, made === 'made' ? null : made.key);
}

const keysOf = ({ ctx, merchant }: AtMerchant) =>
  listKeys(ctx.db, merchant.merchant_id, addSeconds(ctx.now(), -ENDED_SHOWN_SECONDS));
