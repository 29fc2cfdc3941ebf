import { getValidator } from '../../../../domain/api/validator.ts';
import { choiceOf, offerableMethods, type Offerable } from '../../../../domain/checkout/appearance/offer.ts';
import { toAppearance } from '../../../../domain/checkout/appearance/resource.ts';
import { AppearanceBody } from '../../../../domain/checkout/appearance/schemas.ts';
import { setAppearance, surroundingsOf } from '../../../../domain/checkout/appearance/set.ts';
import { readAppearance } from '../../../../domain/checkout/appearance/store.ts';
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
import { settingsPath } from '../shared/menu.ts';
import { callerOf, isFault, orFault } from '../shared/visit.ts';
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
      const state = await read(visit, adapters);
      if (state.accepts) {
        const accepted = wantedOf(visit, state.methods).filter(({ isPar }) => !isPar);
        const methods = accepted.map(({ coin, network }) => ({ coin, network }));
        await changeAcceptedMethods(visit.ctx, visit.merchant.merchant_id, methods, actorOf(visit));
      }
      return offer(visit, adapters);
    },
  },
];

interface State {
  readonly methods: readonly ShownMethod[];
  readonly chosen: readonly PaymentMethod[] | null;
  readonly accepts: boolean;
}

/** The methods of a merchant, with why some of them cannot be switched on. */
async function read(visit: AtMerchant, adapters: AdaptersByMode): Promise<State> {
  const caller = await callerOf(visit);
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
  return { methods, chosen, accepts };
}

/** Of what can be switched on, what the form has on. */
const wantedOf = ({ field }: AtMerchant, methods: readonly ShownMethod[]): ShownMethod[] =>
  methods.filter((method) => method.obstacle === null && field(boxOf(method)) === 'on');

async function offer(visit: AtMerchant, adapters: AdaptersByMode): Promise<DeskReply> {
  const { ctx, merchant } = visit;
  const { methods, chosen } = await read(visit, adapters);
  const wanted = wantedOf(visit, methods);
  if (wanted.length === 0) return show(visit, adapters, visit.texts.settings.methods.atLeastOne);
  const done = await orFault(async () => {
    const row = await readAppearance(ctx.db, merchant.merchant_id);
    const body = { ...toAppearance(row, ctx.config.publicUrl), methods: choiceOf(wanted, methods, chosen) };
    const check = getValidator({ allowPrivate: ctx.config.allowPrivateNetworks });
    const checked = check.compile(AppearanceBody, 'body')(body);
    return setAppearance(acting(visit), adapters, await callerOf(visit), checked);
  });
  if (isFault(done)) return show(visit, adapters, done.fault);
  return { to: `${settingsPath(visit, 'methods')}?said=saved` };
}

async function show(visit: AtMerchant, adapters: AdaptersByMode, fault: string | null): Promise<DeskReply> {
  const { methods, accepts } = await read(visit, adapters);
  const { nameOf } = adaptersOf(adapters, visit.merchant.mode).chains;
  return methodsPage(visit, { methods, nameOf, accepts, fault });
}
