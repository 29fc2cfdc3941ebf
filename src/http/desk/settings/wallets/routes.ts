import { isNetwork, NETWORK_IDS } from '../../../../domain/chain/networks.ts';
import { isWalletKind } from '../../../../domain/chain/wallets/kinds.ts';
import { walletFault } from '../../../../domain/chain/wallets/open.ts';
import { MAX_VALUE_LENGTH, pastedSecret } from '../../../../domain/chain/wallets/pasted-secret.ts';
import { TakenError, type Wallet } from '../../../../domain/chain/wallets/store.ts';
import { adaptersOf, type AdaptersByMode } from '../../../../domain/payments/lifecycle/ports.ts';
import {
  confirmByOwner,
  duesOf,
  findOwnWallet,
  listOwnWallets,
  setByOwner,
} from '../../../../domain/wallets/by-owner.ts';
import { destinationsOf } from '../../../../domain/wallets/destinations.ts';
import { firstAddresses } from '../../../../domain/wallets/first-addresses.ts';
import { toResource } from '../../../../domain/wallets/list.ts';
import { endWallet } from '../../../../domain/wallets/set.ts';
import {
  acting,
  COSTLY_PER_MINUTE,
  DESK_PER_MINUTE,
  type AtMerchant,
  type DeskReply,
  type DeskRoute,
} from '../../shell/route.ts';
import { readCaller } from '../../verbs.ts';
import { fillPlain } from '../../../../platform/pages/html.ts';
import { settingsPath } from '../shared/menu.ts';
import { toOf, walletsPage } from './page.ts';
import { walletPage } from './wallet-page.ts';

const PATH = '/dashboard/:merchant/settings/wallets';

/** Where money goes. Only owners change it, with a second factor of the last ten minutes. */
export const walletRoutes = (adapters: AdaptersByMode): readonly DeskRoute[] => [
  {
    name: 'wallets',
    method: 'get',
    path: PATH,
    access: 'member',
    right: 'wallets:read',
    perMinute: DESK_PER_MINUTE,
    handle: (visit) => showAll(visit, adapters, null),
  },
  {
    name: 'wallet',
    method: 'get',
    path: `${PATH}/:wallet`,
    access: 'member',
    right: 'wallets:read',
    perMinute: DESK_PER_MINUTE,
    handle: (visit) => ofWallet(visit, (wallet) => showOne(visit, adapters, wallet, null)),
  },
  {
    name: 'add wallet',
    method: 'post',
    path: PATH,
    access: 'member',
    right: 'settings:write',
    isFresh: true,
    perMinute: COSTLY_PER_MINUTE,
    handle: (visit) => add(visit, adapters),
  },
  {
    name: 'confirm wallet',
    method: 'post',
    path: `${PATH}/:wallet/confirm`,
    access: 'member',
    right: 'settings:write',
    isFresh: true,
    perMinute: COSTLY_PER_MINUTE,
    handle: (visit) => ofWallet(visit, (wallet) => confirm(visit, adapters, wallet)),
  },
  {
    name: 'retire wallet',
    method: 'post',
    path: `${PATH}/:wallet/retire`,
    access: 'member',
    right: 'settings:write',
    isFresh: true,
    perMinute: COSTLY_PER_MINUTE,
    handle: (visit) =>
      ofWallet(visit, async ({ id }) => {
        await endWallet(acting(visit), id);
        return { to: `${settingsPath(visit, 'wallets')}/${id}?said=saved` };
      }),
  },
];

/** Another merchant's wallet is as missing as one that does not exist. */
async function ofWallet(
  { ctx, merchant, params }: AtMerchant,
  then: (wallet: Wallet) => Promise<DeskReply>,
): Promise<DeskReply> {
  const wallet = await findOwnWallet(ctx, merchant.merchant_id, params.wallet ?? '');
  return wallet === null ? 'missing' : then(wallet);
}

/** What was pasted is never shown again, logged or mailed, whatever it was. */
async function add(visit: AtMerchant, adapters: AdaptersByMode): Promise<DeskReply> {
  const { wallets: texts } = visit.texts.settings;
  // It would only take the account away from the live shop of the same owner.
  if (visit.merchant.mode === 'test') return showAll(visit, adapters, texts.testText);
  const [kind, network, value] = ['kind', 'network', 'value'].map((name) => visit.field(name).trim());
  if (value === undefined || kind === undefined || network === undefined || !isWalletKind(kind))
    return showAll(visit, adapters, texts.badKind);
  const secret = pastedSecret(value);
  if (secret !== null) return showAll(visit, adapters, fillPlain(texts.secret, { secret }));
  if (value === '' || value.length > MAX_VALUE_LENGTH) return showAll(visit, adapters, texts.badValue);
  const named = isNetwork(network) ? network : null;
  try {
    const wanted = { merchantId: visit.merchant.merchant_id, kind, value, network: named };
    const { id } = await setByOwner(acting(visit), wanted);
    return { to: `${settingsPath(visit, 'wallets')}/${id}` };
  } catch (error) {
    if (error instanceof TakenError) return showAll(visit, adapters, texts.taken);
    if (error instanceof RangeError) return showAll(visit, adapters, error.message);
    throw error;
  }
}

async function confirm(visit: AtMerchant, adapters: AdaptersByMode, wallet: Wallet): Promise<DeskReply> {
  const { wallets: texts } = visit.texts.settings;
  const refuse = (fault: string) => showOne(visit, adapters, wallet, fault);
  if (walletFault(visit.ctx.config, wallet) !== null) return refuse(texts.states.refused);
  try {
    const confirmed = await confirmByOwner(acting(visit), wallet, visit.field('address'));
    if (confirmed === 'refused') return await refuse(texts.otherAddress);
    return { to: `${settingsPath(visit, 'wallets')}/${wallet.id}?said=saved` };
  } catch (error) {
    if (error instanceof TakenError) return refuse(texts.taken);
    if (error instanceof RangeError) return refuse(texts.states.retired);
    throw error;
  }
}

async function showAll(
  visit: AtMerchant,
  adapters: AdaptersByMode,
  fault: string | null,
): Promise<DeskReply> {
  const { ctx, merchant } = visit;
  const { chains } = adaptersOf(adapters, merchant.mode);
  const destinations = await destinationsOf(ctx.db, await readCaller(visit), NETWORK_IDS);
  const own = await listOwnWallets(ctx, merchant.merchant_id);
  return walletsPage(visit, {
    destinations: destinations.map(({ wallet, ...rest }) => ({
      ...rest,
      to: wallet === null ? '' : toOf(toResource(ctx.config, wallet)),
    })),
    own: own.map(({ wallet, due }) => ({ wallet: toResource(ctx.config, wallet), due })),
    nameOf: chains.nameOf,
    entered: { kind: visit.field('kind') || 'xpub', network: visit.field('network') },
    fault,
  });
}

async function showOne(
  visit: AtMerchant,
  adapters: AdaptersByMode,
  wallet: Wallet,
  fault: string | null,
): Promise<DeskReply> {
  const { ctx, merchant } = visit;
  const shown = toResource(ctx.config, wallet);
  return walletPage(visit, {
    wallet: shown,
    due: (await duesOf(ctx.db, [wallet.id])).get(wallet.id) ?? null,
    addresses: shown.state === 'refused' ? [] : firstAddresses(ctx, wallet),
    nameOf: adaptersOf(adapters, merchant.mode).chains.nameOf,
    fault,
  });
}
