import { isNetwork, NETWORK_IDS, type NetworkId } from '../../../domain/chain/networks.ts';
import {
  formsOf,
  isWalletKind,
  namedKind,
  WALLET_KIND_IDS,
  type WalletForm,
  type WalletKindId,
} from '../../../domain/chain/wallets/kinds.ts';
import { WalletError } from '../../../domain/chain/wallets/open.ts';
import { listWallets, type Wallet } from '../../../domain/chain/wallets/store.ts';
import { deploymentOf, firstAddresses } from '../../../domain/wallets/first-addresses.ts';
import { toResource } from '../../../domain/wallets/list.ts';
import { confirmWallet, endWallet, setWallet, type Changed } from '../../../domain/wallets/set.ts';
import { StartError } from '../../../platform/config/config.ts';
import type { Context } from '../../../platform/context.ts';
import { asUsageError, assertMerchant, UsageError, type Command } from '../merchant-commands.ts';
import { assertSecretsKeyFits } from '../shared/secrets-key.ts';
import { exportWallet } from './export.ts';
import { readValue } from './read-value.ts';
import { changedText, exportText, listText } from './text.ts';

/** `--merchant` of the installation's own wallet. */
const DEFAULT = 'default';

/** The commands of `npm run merchants -- wallet`. */
export const WALLET_COMMANDS: Readonly<Record<string, Command>> = {
  'wallet set': {
    needs: ['merchant', 'kind', 'value'],
    takes: ['network'],
    async run(ctx, { merchant = '', kind = '', value = '', network }) {
      const chosen = { kind: kindOf(kind), network: networkOf(network) };
      const text = await readValue(value);
      const owner = merchant === DEFAULT ? null : await assertMerchant(ctx, merchant);
      await assertSecretsKeyFits(ctx);
      const wanted = { merchantId: owner?.merchant_id ?? null, ...chosen, value: text };
      const facts = factsOf(ctx, await setWallet(ctx, wanted).catch(asFault));
      return { ...facts, mode: owner?.mode ?? 'live' };
    },
    text: changedText,
    notice: (_values, result) => confirmNotice(result),
  },
  'wallet confirm': {
    needs: ['wallet', 'address'],
    run: async (ctx, { wallet: id = '', address = '' }) =>
      factsOf(ctx, await confirmWallet(ctx, id, address).catch(asFault)),
    text: changedText,
    notice: (_values, { unaudited }) => (unaudited === true ? UNAUDITED : null),
  },
  'wallet list': {
    needs: [],
    takes: ['merchant'],
    async run(ctx, { merchant }) {
      if (merchant !== undefined) await assertMerchant(ctx, merchant);
      return {
        wallets: (await listWallets(ctx.db, merchant ?? null)).map((wallet) => summaryOf(ctx, wallet)),
      };
    },
    text: listText,
  },
  'wallet export': {
    needs: ['wallet'],
    takes: ['format', 'out'],
    run: async (ctx, values, isJson = false) => exportWallet(ctx, values, isJson).catch(asFault),
    text: exportText,
  },
  'wallet retire': {
    needs: ['wallet'],
    run: async (ctx, { wallet: id = '' }) => factsOf(ctx, await endWallet(ctx, id).catch(asFault)),
    text: changedText,
    notice: () =>
      'Live payments without another wallet use the default of the installation; where there is none, they get 503.',
  },
};

export const WALLET_USAGE = `  wallet set      --merchant ID|${DEFAULT} --kind ${WALLET_KIND_IDS.join('|')} --value VALUE [--network NETWORK]
              where the money of live payments goes, to be confirmed; ${DEFAULT}: of merchants without one
  wallet confirm  --wallet ID --address ADDRESS
              uses it from 10 s later on, in place of the one before, which is still watched
  wallet list     [--merchant ID]
              every wallet, also those that are not confirmed or no longer used
  wallet export   --wallet ID [--format csv|ndjson] [--out FILE]
              index, path and address of each payment, and what came there
  wallet retire   --wallet ID
              new payments no longer use it; it is still watched`;

/** What the forms of each kind say, a line for each that differs. */
const ofEachForm = (said: (form: WalletForm) => string) =>
  WALLET_KIND_IDS.flatMap((kind) => [...new Set(formsOf(kind).map((form) => `${kind}: ${said(form)}`))]).join(
    '\n                 ',
  );

export const WALLET_OPTIONS = `  --kind         ${WALLET_KIND_IDS.map(namedKind).join(' or ')}
  --value        ${ofEachForm(({ value }) => value)}
                 - reads it from standard input. Never a private key or a seed phrase
  --address      ${ofEachForm(({ shown }) => shown)}`;

/** What is shown of a wallet, beside its first addresses. */
function summaryOf({ config }: Context, wallet: Wallet): Record<string, unknown> {
  const { id, ...shown } = toResource(config, wallet);
  return {
    wallet_id: id,
    merchant_id: wallet.merchant_id,
    ...shown,
    indices_taken: wallet.next_index,
    deployment: shown.state === 'refused' ? null : deploymentOf(wallet),
  };
}

/** Retiring a wallet whose row was changed shows none of its addresses. */
function factsOf(ctx: Context, { wallet, mailed, replaced }: Changed): Record<string, unknown> {
  const summary = summaryOf(ctx, wallet);
  const addresses = summary.state === 'refused' ? [] : firstAddresses(ctx, wallet);
  return { ...summary, addresses, replaced, mailed };
}

const UNAUDITED = 'Unaudited: nobody has audited the forwarder contract that the money passes.';

function confirmNotice(result: Readonly<Record<string, unknown>>): string {
  const { wallet_id: id, kind, merchant_id, mode, unaudited } = result;
  const [form] = formsOf(kind as WalletKindId);
  const networks = (result.networks as readonly string[]).join(', ');
  return [
    ...(mode === 'test' ? ['This is a test merchant: its payments are simulated, and use no wallet.'] : []),
    ...(unaudited === true ? [UNAUDITED] : []),
    `No payment uses it yet. Compare, and name ${form?.shown ?? ''}:`,
    `  npm run merchants -- wallet confirm --wallet ${String(id)} --address ADDRESS`,
    `It then takes live payments on ${networks}${merchant_id === null ? ' of merchants without a wallet of their own' : ''}.`,
  ].join('\n');
}

function kindOf(kind: string): WalletKindId {
  if (isWalletKind(kind)) return kind;
  throw new UsageError(
    `There is no such kind of wallet. Choose ${WALLET_KIND_IDS.map(namedKind).join(' or ')}`,
  );
}

function networkOf(network: string | undefined): NetworkId | null {
  if (network === undefined || isNetwork(network)) return network ?? null;
  throw new UsageError(`There is no such network. Choose from ${NETWORK_IDS.join(', ')}`);
}

function asFault(error: unknown): never {
  if (error instanceof WalletError) throw new StartError(`${error.message}.`);
  return asUsageError(error);
}
