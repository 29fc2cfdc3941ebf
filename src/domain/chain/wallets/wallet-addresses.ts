import type { Context } from '../../../platform/context.ts';
import { ApiError } from '../../api/errors.ts';
import type { NetworkId } from '../networks.ts';
import type { AddressBooks, PlacedDeposit } from './address-book.ts';
import { findWalletInUse, readFurther, storeFurther, type Place } from './deposits/further.ts';
import { deriveAddress, familyOf, type DerivableWallet } from './families.ts';
import { openWalletFor } from './open.ts';
import { AddressPool } from './pool.ts';
import { findWallet } from './store.ts';

/** Wallets of which a process keeps addresses, or the public data: some 2 kB each. */
const MOST_WALLETS = 1_000;

type WalletContext = Pick<Context, 'db' | 'config' | 'log'>;

/**
 * The addresses of live payments, derived from the wallet of their merchant. What it keeps is of this
 * process; a wallet that is evicted leaves a gap.
 */
export function walletAddresses(): AddressBooks {
  const pools = new Map<string, AddressPool>();
  const opened = new Map<string, DerivableWallet>();
  const take = (ctx: WalletContext, id: string) => used(pools, id, () => new AddressPool(id)).take(ctx);
  const openPlace = async (ctx: WalletContext, { wallet_id: id, deposit_index: index }: Place) => {
    const read = opened.get(id) ?? (await readWallet(ctx, id));
    const wallet = used(opened, id, () => read);
    return { derive: (network: NetworkId) => deriveAddress(wallet, network, index) };
  };
  return {
    async open(ctx, { merchantId, wallets = {} }, network) {
      const family = familyOf(network);
      const id = family === null ? undefined : wallets[family];
      if (id === undefined) throw withoutWallet(merchantId, network);
      const { address, index } = await take(ctx, id);
      const derive = (asked: string) => (asked === network ? address : null);
      return { wallet_id: id, deposit_index: index, derive };
    },
    async of(ctx, payment, wanted) {
      const { wallet_id, deposit_index } = payment;
      // A live payment that was simulated.
      if (wallet_id === null || deposit_index === null) return { derive: () => null };
      const places = [{ wallet_id, deposit_index }, ...(await readFurther(ctx.db, payment.id))];
      const books = await Promise.all(places.map((place) => openPlace(ctx, place)));
      const derive = (network: NetworkId) =>
        books.reduce<string | null>((found, book) => found ?? book.derive(network), null);
      if (wanted === undefined || derive(wanted.network) !== null) return { derive };
      await takeFurther(ctx, payment, wanted.network, take);
      return this.of(ctx, payment);
    },
  };
}

/** Takes a place for a payment on a network of a family in which it has none. */
async function takeFurther(
  ctx: WalletContext,
  { id: paymentId, merchant_id }: PlacedDeposit,
  network: NetworkId,
  take: (ctx: WalletContext, id: string) => ReturnType<AddressPool['take']>,
): Promise<void> {
  const family = familyOf(network);
  const id = family === null ? null : await findWalletInUse(ctx.db, merchant_id, family);
  if (family === null || id === null) throw withoutWallet(merchant_id, network);
  const { index } = await take(ctx, id);
  await storeFurther(ctx.db, { paymentId, family, wallet_id: id, deposit_index: index });
}

const withoutWallet = (merchantId: string, network: NetworkId) =>
  new ApiError('network_unavailable', {
    message:
      `network_unavailable: no wallet takes live payments of this merchant on ${network}. The operator sets ` +
      `and confirms one: npm run merchants -- wallet set --merchant ${merchantId} --network ${network}`,
  });

async function readWallet(ctx: WalletContext, id: string): Promise<DerivableWallet> {
  const row = await findWallet(ctx.db, id);
  if (row === null) throw new Error(`the wallet ${id} of a payment does not exist`);
  return openWalletFor(ctx, row);
}

/** Returns the value of a key, made where there is none, as the one that was used last; evicts the first. */
function used<V>(map: Map<string, V>, key: string, make: () => V): V {
  const value = map.get(key) ?? make();
  // A Map keeps the order of insertion.
  map.delete(key);
  const [oldest] = map.size >= MOST_WALLETS ? map.keys() : [];
  if (oldest !== undefined) map.delete(oldest);
  map.set(key, value);
  return value;
}
