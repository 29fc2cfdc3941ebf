import { RPC_NETWORKS } from '../../platform/config/variables.ts';
import type { Context } from '../../platform/context.ts';
import type { Connection } from '../../platform/postgres/db.ts';
import { compare } from '../../platform/values/money.ts';
import { BitcoinClient } from './bitcoin/client.ts';
import { COIN_IDS } from './coins.ts';
import { EvmClient } from './evm/client.ts';
import { dollarsOf, greatestDepth, type Worth } from './finality.ts';
import { NETWORKS, type NetworkId } from './networks.ts';
import type { ChainClient, ChainTransfer } from './port.ts';
import { realChains } from './profile.ts';
import type { Rates } from './rates/rates.ts';
import { readLastRates } from './rates/store.ts';

/** The client of a real network, in the watcher. */
export interface WatchedClient {
  readonly network: NetworkId;
  readonly client: ChainClient &
    Pick<EvmClient, 'close'> &
    Partial<Pick<EvmClient, 'hasSpent'>> &
    Partial<Pick<BitcoinClient, 'ask'>>;
  /** Calls a contract on it; absent: it has none. */
  readonly call?: EvmClient['call'];
}

/** Returns what payments at addresses of a network ask for, or got where that is more, by address. */
export type WorthAt = (
  db: Connection,
  network: NetworkId,
  addresses: readonly string[],
) => Promise<ReadonlyMap<string, Worth>>;

/**
 * Creates the clients of the networks that have providers. The caller must close them. `worthAt` says which
 * transfers are parts of a large payment.
 */
export function createChainClients(
  { config, now, db }: Pick<Context, 'config' | 'now' | 'db'>,
  worthAt: WorthAt,
): WatchedClient[] {
  const chains = realChains(config);
  return RPC_NETWORKS.flatMap((network): WatchedClient[] => {
    const providers = config.rpc[network];
    if (providers === undefined) return [];
    const { urls, quorumUsd, hasTraces = false, esplora = [] } = providers;
    const largeOf = async (transfers: readonly ChainTransfer[]) => {
      if (transfers.length === 0 || quorumUsd >= NEVER_USD) return [];
      const addresses = [...new Set(transfers.map(({ address }) => address))];
      return largeAmong(db, transfers, { quorumUsd, worths: await worthAt(db, network, addresses) });
    };
    if (network === 'bitcoin') {
      const [chain] = chains.addressChains;
      const depth = greatestDepth(network, config.finality);
      return [{ network, client: new BitcoinClient({ network, urls, esplora, chain, depth, largeOf }, now) }];
    }
    const { confirmations: depth } = NETWORKS[network];
    const chainId = chains.chainIdOf(network);
    if (chainId === null) return [];
    const options = { network, chainId, urls, hasTraces, finality: { hasCheckpoints: true, depth } };
    const { contractOf } = chains;
    const client = new EvmClient({ ...options, contractOf, largeOf }, now);
    return [{ network, client, call: (...asked) => client.call(...asked) }];
  });
}

/** No payment is as high: who sets this asks for no second opinion. */
export const NEVER_USD = 1e9;

/**
 * Returns the transfers of at least so many dollars, or to a payment of so many, by the last rates, however
 * old: they say about how much. What nobody knows the worth of is large.
 */
async function largeAmong(
  db: Connection,
  transfers: readonly ChainTransfer[],
  { quorumUsd, worths }: { quorumUsd: number; worths: ReadonlyMap<string, Worth> },
): Promise<readonly ChainTransfer[]> {
  const market = await readLastRates(db, COIN_IDS);
  const rates: Rates = Object.fromEntries([...market].map(([coin, { usd }]) => [coin, usd]));
  const isLarge = (worth: Worth) => {
    const dollars = dollarsOf(worth, rates);
    return dollars === null || compare(dollars, String(quorumUsd)) >= 0;
  };
  return transfers.filter(
    (transfer) => isLarge(transfer) || isLarge(worths.get(transfer.address) ?? transfer),
  );
}
