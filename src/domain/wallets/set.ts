import { realChains } from '../chain/profile.ts';
import type { NetworkId } from '../chain/networks.ts';
import { networksOf } from '../chain/wallets/families.ts';
import { familyOfValue, formOf, type WalletKindId } from '../chain/wallets/kinds.ts';
import { macOf } from '../chain/wallets/mac.ts';
import { walletFault } from '../chain/wallets/open.ts';
import {
  findWallet,
  listWallets,
  lockWallets,
  putInUse,
  retireWallet,
  storeWallet,
  TakenError,
  type Wallet,
} from '../chain/wallets/store.ts';
import type { Context } from '../../platform/context.ts';
import type { Connection, Tx } from '../../platform/postgres/db.ts';
import { newId } from '../../platform/values/ids.ts';
import { recordChange } from '../audit/record.ts';
import { cancel } from '../schedule/store.ts';
import { firstAddresses, isShown } from './first-addresses.ts';
import { useWallet } from './jobs.ts';
import { toResource } from './list.ts';
import { notifyOfWallet } from './notify.ts';

/** A wallet after a command. */
export interface Changed {
  readonly wallet: Wallet;
  /** How many merchants are told by mail; null: nothing has changed. */
  readonly mailed: number | null;
  /** The id of the wallet that it takes the place of; null: of none. */
  readonly replaced: string | null;
}

/** A wallet that is to be set; no merchant: the installation's default. */
export interface NewWallet {
  readonly merchantId: string | null;
  readonly kind: WalletKindId;
  /** As the kind describes it; public. */
  readonly value: string;
  /** One that it is to serve, where the value does not say it; null: the value decides. */
  readonly network?: NetworkId | null;
}

/**
 * Stores a wallet, which no payment uses before it is confirmed, and tells its merchant. Throws RangeError,
 * which never names the value, for one that the kind does not take.
 */
export async function setWallet(
  ctx: Context,
  { merchantId, kind, value, network = null }: NewWallet,
): Promise<Changed> {
  const now = ctx.now();
  const family = familyOfValue(kind, value, network);
  const public_data = formOf({ kind, family }).parse(value, realChains(ctx.config));
  const content = { id: newId('wal', now), merchant_id: merchantId, family, kind, public_data };
  await assertNotElsewhere(ctx, content);
  const mailed = await ctx.db.transaction(async (tx) => {
    await storeWallet(tx, { ...content, ...macOf(ctx.config, content) }, now);
    // A default that is not confirmed concerns nobody yet.
    const told = merchantId === null ? 0 : await notifyOfWallet(tx, content, 'set', now);
    await noteWallet(ctx, tx, 'wallet set', await getWallet({ db: tx }, content.id));
    return told;
  });
  return { wallet: await getWallet(ctx, content.id), mailed, replaced: null };
}

/**
 * Puts a wallet in use in place of the one before, from 10 s later at the latest, and tells its merchant.
 * `address` proves that somebody has compared: the address that the owner's own wallet shows them. Confirming
 * again changes nothing. It goes on behind the indices of an earlier wallet with the same addresses. Throws
 * RangeError where the address is not of the wallet, where the wallet is retired, and where one in use of
 * another owner has the same addresses.
 */
export async function confirmWallet(ctx: Context, id: string, address: string): Promise<Changed> {
  const known = await getWallet(ctx, id);
  assertShown(ctx, known, address);
  return startUsing(ctx, known);
}

/** Puts a wallet in use whose addresses somebody has compared, as `confirmWallet` does. */
export async function startUsing(ctx: Context, known: Wallet): Promise<Changed> {
  const changed = await withWalletsLocked(ctx, known, (tx, alike) => useLocked(ctx, tx, known, alike));
  return { wallet: await getWallet(ctx, known.id), ...changed };
}

/** Runs `work` behind the locks of the owner's wallets on these networks, and of those that are alike. */
export async function withWalletsLocked<Result>(
  ctx: Context,
  known: Wallet,
  work: (tx: Tx, alike: readonly string[]) => Promise<Result>,
): Promise<Result> {
  const before = await findAlike(ctx, known);
  return ctx.db.transaction(async (tx) => {
    await lockWallets(tx, known, before);
    // Again behind the lock: who confirms one that was set meanwhile has locked this one as well.
    return work(tx, await findAlike({ ...ctx, db: tx }, known));
  });
}

/** Puts a wallet in use within the transaction of `withWalletsLocked`. */
export async function useLocked(
  ctx: Context,
  tx: Tx,
  known: Wallet,
  alike: readonly string[],
): Promise<Pick<Changed, 'mailed' | 'replaced'>> {
  const { confirmed_at, retired_at } = await getWallet({ db: tx }, known.id);
  if (confirmed_at !== null && retired_at === null) return { mailed: null, replaced: null };
  const replaced = await putInUse(tx, known, alike, ctx.now());
  await cancel(tx, useWallet, [known.id]);
  const mailed = await notifyOfWallet(tx, known, 'confirmed', ctx.now());
  await noteWallet(ctx, tx, 'wallet confirmed', known, { replaced });
  return { mailed, replaced };
}

/** Writes down which person changed a wallet: a command writes its own entry. */
export async function noteWallet(
  ctx: Context,
  tx: Tx,
  command: string,
  wallet: Wallet,
  more: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const { id, kind, networks, public_key, treasury } = toResource(ctx.config, wallet);
  const { merchant_id } = wallet;
  if (merchant_id === null) return;
  const to = public_key ?? treasury;
  await recordChange(ctx, tx, command, { merchant_id, wallet: id, kind, networks, to, ...more });
}

type KeyContext = Pick<Context, 'config'> & { readonly db: Connection };

type WalletData = Pick<Wallet, 'id' | 'kind' | 'family' | 'public_data'>;

const accountOf = (wallet: WalletData) => formOf(wallet).account(wallet.public_data);

/** Returns the other wallets, of anybody, whose addresses follow from the same key. */
async function findWithKey({ db, config }: KeyContext, wallet: WalletData): Promise<Wallet[]> {
  const account = accountOf(wallet);
  if (account === null) return [];
  return (await listWallets(db, null)).filter(
    (other) => other.id !== wallet.id && walletFault(config, other) === null && accountOf(other) === account,
  );
}

/** Returns the other wallets, of anybody, that have the same addresses. */
async function findAlike(ctx: KeyContext, wallet: Wallet): Promise<string[]> {
  const found = await findWithKey(ctx, wallet);
  return found.filter(({ family }) => family === wallet.family).map(({ id }) => id);
}

/** A bare xpub does not say which networks its account is of: one that serves others already is a mistake. */
async function assertNotElsewhere(ctx: Context, wallet: WalletData): Promise<void> {
  const other = (await findWithKey(ctx, wallet)).find(({ family }) => family !== wallet.family);
  if (other === undefined) return;
  throw new TakenError(
    `The key is that of the wallet ${other.id} on ${networksOf(other.family).join(', ')}. Bitcoin and EVM ` +
      "networks have accounts of their own: m/84'/0'/0' and m/44'/60'/0'. Give that of the right one",
  );
}

/** Ends the use of a wallet for new payments, from 10 s later at the latest, and tells its merchant. */
export async function endWallet(ctx: Context, id: string): Promise<Changed> {
  const known = await getWallet(ctx, id);
  const mailed = await ctx.db.transaction(async (tx) => {
    await lockWallets(tx, known);
    if (!(await retireWallet(tx, id, ctx.now()))) return null;
    await cancel(tx, useWallet, [id]);
    const told = await notifyOfWallet(tx, known, 'retired', ctx.now());
    await noteWallet(ctx, tx, 'wallet retired', known);
    return told;
  });
  return { wallet: await getWallet(ctx, id), mailed, replaced: null };
}

/** Throws RangeError for an unknown wallet. */
export async function getWallet({ db }: { db: Connection }, id: string): Promise<Wallet> {
  const wallet = await findWallet(db, id);
  if (wallet === null) throw new RangeError(`There is no wallet ${id}`);
  return wallet;
}

function assertShown(ctx: Context, wallet: Wallet, address: string): void {
  if (isShown(wallet, firstAddresses(ctx, wallet), address)) return;
  throw new RangeError(
    `--address must be ${formOf(wallet).shown}, and it is another one. If your wallet shows none of them, do not ` +
      'confirm: money would go where you do not find it',
  );
}
