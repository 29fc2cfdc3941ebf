import { COINS_ON_NETWORKS } from '../../../domain/chain/coins.ts';
import { isCurrency } from '../../../domain/chain/currencies.ts';
import { listCloses } from '../../../domain/tills/close.ts';
import { createPairing, listDevices, revokeDevice } from '../../../domain/tills/devices.ts';
import { archiveTill, createTill, findTill, listTills, setPin } from '../../../domain/tills/store.ts';
import type { Till } from '../../../domain/tills/till.ts';
import {
  actorOf,
  COSTLY_PER_MINUTE,
  DESK_PER_MINUTE,
  type AtMerchant,
  type DeskReply,
  type DeskRoute,
} from '../shell/route.ts';
import { listPage, methodField, type NewTillForm } from './list-page.ts';
import { linkPage, tillPage } from './till-page.ts';
import { TILLS } from '../texts/tills.ts';

const TILLS_PATH = '/dashboard/:merchant/tills';
const SHOWN_CLOSES = 30;

const tillsPath = ({ merchant }: AtMerchant) => `/dashboard/${merchant.merchant_id}/tills`;

const OF_TILLS = { access: 'member', right: 'checkout:write', perMinute: DESK_PER_MINUTE } as const;

/** The tills of a merchant: making them, their devices, and what they have taken. */
export const tillRoutes: readonly DeskRoute[] = [
  {
    ...OF_TILLS,
    name: 'tills',
    method: 'get',
    path: TILLS_PATH,
    right: 'payments:read',
    handle: (visit: AtMerchant) => show(visit, {}),
  },
  {
    ...OF_TILLS,
    name: 'make till',
    method: 'post',
    path: TILLS_PATH,
    perMinute: COSTLY_PER_MINUTE,
    async handle(visit: AtMerchant) {
      const { ctx, merchant, field } = visit;
      const [name, currency] = [field('name'), field('currency')];
      if (currency !== '' && !isCurrency(currency)) return show(visit, { name, fault: TILLS.badCurrency });
      const priceCurrency = currency === '' ? null : currency;
      const chosen = COINS_ON_NETWORKS.filter((method) => field(methodField(method)) !== '');
      const methods = chosen.length === 0 ? null : chosen;
      const asked = { merchantId: merchant.merchant_id, name, priceCurrency, methods, pin: field('pin') };
      const made = await createTill(ctx, asked, actorOf(visit));
      if (typeof made === 'string') return show(visit, { name, currency, fault: TILLS[made] });
      return { to: `${tillsPath(visit)}/${made.id}` };
    },
  },
  {
    ...OF_TILLS,
    name: 'till',
    method: 'get',
    path: `${TILLS_PATH}/:till`,
    right: 'payments:read',
    handle: (visit: AtMerchant) => withTill(visit, (till) => showTill(visit, till, null)),
  },
  {
    ...OF_TILLS,
    name: 'pair till',
    method: 'post',
    path: `${TILLS_PATH}/:till/devices`,
    handle: (visit: AtMerchant) =>
      withTill(visit, async (till) => {
        const made = await createPairing(visit.ctx, till, visit.field('device'), actorOf(visit));
        if (typeof made === 'string') return showTill(visit, till, TILLS[made]);
        return linkPage(visit, till, made.token);
      }),
  },
  {
    ...OF_TILLS,
    name: 'end till device',
    method: 'post',
    path: `${TILLS_PATH}/:till/devices/:device/end`,
    handle: (visit: AtMerchant) =>
      withTill(visit, async (till) => {
        const isEnded = await revokeDevice(visit.ctx, till, visit.params.device ?? '', actorOf(visit));
        return isEnded ? { to: `${tillsPath(visit)}/${till.id}?said=revoked` } : 'missing';
      }),
  },
  {
    ...OF_TILLS,
    name: 'set till PIN',
    method: 'post',
    path: `${TILLS_PATH}/:till/pin`,
    perMinute: COSTLY_PER_MINUTE,
    handle: (visit: AtMerchant) =>
      withTill(visit, async (till) => {
        const set = await setPin(visit.ctx, till, visit.field('pin'), actorOf(visit));
        if (set === 'badPin') return showTill(visit, till, TILLS.badPin);
        return { to: `${tillsPath(visit)}/${till.id}?said=pinSet` };
      }),
  },
  {
    ...OF_TILLS,
    name: 'end till',
    method: 'post',
    path: `${TILLS_PATH}/:till/end`,
    handle: (visit: AtMerchant) =>
      withTill(visit, async (till) => {
        await archiveTill(visit.ctx, till, actorOf(visit));
        return { to: `${tillsPath(visit)}?said=tillEnded` };
      }),
  },
];

async function show(visit: AtMerchant, form: NewTillForm): Promise<DeskReply> {
  return listPage(visit, await listTills(visit.ctx.db, visit.merchant.merchant_id), form);
}

async function showTill(visit: AtMerchant, till: Till, fault: string | null): Promise<DeskReply> {
  const { ctx } = visit;
  const [devices, closes] = await Promise.all([
    listDevices(ctx.db, till.id, ctx.now()),
    listCloses(ctx.db, till.id, SHOWN_CLOSES),
  ]);
  return tillPage(visit, till, { devices, closes, fault });
}

/** A till of the merchant itself. */
async function withTill(visit: AtMerchant, use: (till: Till) => Promise<DeskReply>): Promise<DeskReply> {
  const { ctx, merchant, params } = visit;
  const till = await findTill(ctx.db, merchant.merchant_id, params.till ?? '');
  return till === null ? 'missing' : use(till);
}
