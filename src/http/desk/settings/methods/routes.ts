import { choiceOf, offerableMethods, type Offerable } from '../../../../domain/checkout/appearance/offer.ts';
import { toAppearance } from '../../../../domain/checkout/appearance/resource.ts';
import { AppearanceBody } from '../../../../domain/checkout/appearance/schemas.ts';
import { setAppearance, surroundingsOf } from '../../../../domain/checkout/appearance/set.ts';
import { readAppearance, type AppearanceRow } from '../../../../domain/checkout/appearance/store.ts';
import { isSame, type PaymentMethod } from '../../../../domain/checkout/view/offer.ts';
import { familyOf } from '../../../../domain/chain/wallets/families.ts';
import { changeAcceptedMethods } from '../../../../domain/merchants/settings.ts';
import { parOf } from '../../../../domain/payments/create.ts';
import { adaptersOf, type AdaptersByMode } from '../../../../domain/payments/lifecycle/ports.ts';
import { may } from '../../../../domain/people/rights/roles.ts';
import {
  acting,
  actorOf,
  DESK_PER_MINUTE,
  type AtMerchant,
  type DeskReply,
  type DeskRoute,
} from '../../shell/route.ts';
import { attempt, checked, readCaller } from '../../verbs.ts';
import { settingsPath } from '../shared/menu.ts';
import { boxOf, methodsPage, type ShownMethod } from './page.ts';

const PATH = '/dashboard/:merchant/settings/methods';

/** With what customers can pay: the choice that `PUT /v1/checkout/appearance` has too. */
export const methodRoutes = (adapters: AdaptersByMode): readonly DeskRoute[] => [
  {
    name: 'methods',
    method: 'get',
    path: PATH,
    access: 'member',
    right: 'payments:read',
    perMinute: DESK_PER_MINUTE,
    handle: (visit) => show(visit, adapters, null),
  },
  {
    name: 'offer methods',
    method: 'post',
    path: PATH,
    access: 'member',
    right: 'checkout:write',
    perMinute: DESK_PER_MINUTE,
    handle: (visit) => offer(visit, adapters),
  },
  {
    name: 'accept methods',
    method: 'post',
    path: `${PATH}/accept`,
    access: 'member',
    right: 'settings:write',
    // Money then comes in another coin, to another wallet.
    isFresh: true,
    perMinute: DESK_PER_MINUTE,
    async handle(visit) {
      const { accepts, methods } = await read(visit, adapters);
      const wanted = wantedOf(visit, methods);
      // Where nothing is switched on the form is refused, and nothing of it is done.
      if (accepts && wanted.length > 0) {
        const accepted = wanted.filter(({ isPar }) => !isPar).map(({ coin, network }) => ({ coin, network }));
        await changeAcceptedMethods(visit.ctx, visit.merchant.merchant_id, accepted, actorOf(visit));
      }
      return offer(visit, adapters);
    },
  },
];

interface State {
  readonly methods: readonly ShownMethod[];
  readonly accepts: boolean;
}

/** The methods of a merchant, with why some of them cannot be switched on. */
async function read(visit: AtMerchant, adapters: AdaptersByMode): Promise<State> {
  const caller = await readCaller(visit);
  const served = adaptersOf(adapters, caller.mode);
  const surroundings = await surroundingsOf(visit.ctx, adapters, caller);
  const row = await readAppearance(visit.ctx.db, caller.merchantId);
  const chosen = row?.appearance.methods ?? null;
  // An exchange sells what its account has addresses for, which the operator reads.
  const accepts =
    surroundings.settled !== null &&
    caller.exchange === undefined &&
    may(visit.merchant.role, 'settings:write');
  const hasWallet = ({ network }: PaymentMethod) => {
    const family = familyOf(network);
    return family !== null && caller.wallets?.[family] !== undefined;
  };
  const obstacleTo = (method: Offerable): ShownMethod['obstacle'] => {
    if (method.isSettled) return null;
    if (caller.exchange !== undefined) return 'operator';
    if (!accepts) return 'owner';
    return hasWallet(method) ? null : 'wallet';
  };
  const par = parOf(caller);
  const methods = offerableMethods(surroundings, chosen)
    .filter(({ coin, network }) => served.chains.contractOf(coin, network) !== undefined)
    .map((method) => ({ ...method, isPar: isSame(method, par), obstacle: obstacleTo(method) }));
  return { methods, accepts };
}

/** Of what can be switched on, what the form has on. */
const wantedOf = ({ field }: AtMerchant, methods: readonly ShownMethod[]): ShownMethod[] =>
  methods.filter((method) => method.obstacle === null && field(boxOf(method)) === 'on');

async function offer(visit: AtMerchant, adapters: AdaptersByMode): Promise<DeskReply> {
  const { publicUrl } = visit.ctx.config;
  const { methods } = await read(visit, adapters);
  const wanted = wantedOf(visit, methods);
  if (wanted.length === 0) return show(visit, adapters, visit.texts.settings.methods.atLeastOne);
  const change = (row: AppearanceRow | null) =>
    checked(visit, AppearanceBody, {
      ...toAppearance(row, publicUrl),
      methods: choiceOf(wanted, methods, row?.appearance.methods ?? null),
    });
  const set = await attempt(visit, async () =>
    setAppearance(acting(visit), adapters, await readCaller(visit), change),
  );
  if ('fault' in set) return show(visit, adapters, set.fault);
  return { to: `${settingsPath(visit, 'methods')}?said=saved` };
}

async function show(visit: AtMerchant, adapters: AdaptersByMode, fault: string | null): Promise<DeskReply> {
  const { methods, accepts } = await read(visit, adapters);
  const { nameOf } = adaptersOf(adapters, visit.merchant.mode).chains;
  return methodsPage(visit, { methods, nameOf, accepts, fault });
}
