import type { Context } from '../../../platform/context.ts';
import { ApiError } from '../../api/errors.ts';
import type { AddressBooks } from './address-book.ts';
import { deriveAddress, familyOf, type DerivableWallet } from './families.ts';
import { openWalletFor } from './open.ts';
import { AddressPool } from './pool.ts';
import { findWallet } from './store.ts';

/** Wallets of which a process keeps addresses, or the public data: some 2 kB each. */
const MOST_WALLETS = 1_000;

/**
 * The addresses of live payments, derived from the wallet of their merchant. What it keeps is of this
 * process; a wallet that is evicted leaves a gap.
 */
export function walletAddresses(): AddressBooks {
  const pools = new Map<string, AddressPool>();
  const opened = new Map<string, DerivableWallet>();
  return {
    async open(ctx, { merchantId, wallets = {} }, network) {
      const family = familyOf(network);
      const id = family === null ? undefined : wallets[family];
      if (id === undefined)
        throw new ApiError('network_unavailable', {
          message:
            `network_unavailable: no wallet takes live payments of this merchant on ${network}. The operator sets ` +
            `and confirms one: npm run merchants -- wallet set --merchant ${merchantId}`,
        });
      const { address, index } = await used(pools, id, () => new AddressPool(id)).take(ctx);
      const derive = (asked: string) => (asked === network ? address : null);
      return { wallet_id: id, deposit_index: index, derive };
    },
    async of(ctx, { wallet_id: id, deposit_index: index }) {
      // A live payment that was simulated.
      if (id === null || index === null) return { derive: () => null };
      const read = opened.get(id) ?? (await readWallet(ctx, id));
      const wallet = used(opened, id, () => read);
      return { derive: (network) => deriveAddress(wallet, network, index) };
    },
  };
}

async function readWallet(ctx: Pick<Context, 'db' | 'config' | 'log'>, id: string): Promise<DerivableWallet> {
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
