import type { Caller } from '../api/endpoint.ts';
import type { NetworkId } from '../chain/networks.ts';
import { familyOf } from '../chain/wallets/families.ts';
import { findWallet, type Wallet } from '../chain/wallets/store.ts';
import type { Connection } from '../../platform/postgres/db.ts';

/** Where new live payments of a merchant on a network take money. */
export interface Destination {
  readonly network: NetworkId;
  /** `default`: the wallet of the installation. `none`: there is nothing, and payments get 503. */
  readonly source: 'own' | 'default' | 'exchange' | 'none';
  readonly wallet: Wallet | null;
}

/** Returns where money goes on each of the networks, as the merchant's caller says it. */
export async function destinationsOf(
  connection: Connection,
  caller: Caller,
  networks: readonly NetworkId[],
): Promise<Destination[]> {
  const ids = Object.values(caller.wallets ?? {});
  const wallets = await Promise.all(ids.map((id) => findWallet(connection, id)));
  return networks.flatMap((network): Destination[] => {
    const family = familyOf(network);
    if (family === null) return [];
    if (caller.exchange !== undefined) return [{ network, source: 'exchange', wallet: null }];
    const wallet = wallets.find((one) => one !== null && one.id === caller.wallets?.[family]) ?? null;
    if (wallet === null) return [{ network, source: 'none', wallet }];
    return [{ network, source: wallet.merchant_id === null ? 'default' : 'own', wallet }];
  });
}
