import type { NetworkId } from './networks.ts';

/**
 * Identifies a chain: the simulated one of a network (`tron`), that of a test clock (`tron/TEST_CLOCK`), or
 * the real network (`tron/live`). They never share a cursor or a head.
 */
export type ChainKey = string;

/** Behind the network in the key of a real one. Test clocks are named after payments, thus never so. */
const LIVE = 'live';

/**
 * Returns the key of a network's simulated chain or, with the id of a test clock, of its isolated payment's
 * chain.
 */
export function chainKey(network: NetworkId, testClock: string | null): ChainKey {
  return testClock === null ? network : `${network}/${testClock}`;
}

/** Returns the key of a real network. */
export function liveChainKey(network: NetworkId): ChainKey {
  return chainKey(network, LIVE);
}

/** Returns what the leader among watchers of a real network holds the lock of. */
export const watchKey = (network: NetworkId): string => `watch ${network}`;

/** The same of the rates. */
export const RATES_KEY = 'watch rates';

/** Returns the network that a chain belongs to. */
export function networkOf(chain: ChainKey): NetworkId {
  return chain.split('/', 1)[0] as NetworkId;
}

/** SQL: the key of a real network. */
export const LIVE_CHAIN_KEY = (network: string) => `${network} || '/${LIVE}'`;

/**
 * SQL: the chain key of a transfer `t` of a payment `p`, equal to what `chainKey` and `liveChainKey` return.
 * `||` takes the collation of `test_clock`, for which the primary key of chain_cursors cannot be used;
 * without COLLATE each lookup would read the whole table.
 */
export const CHAIN_KEY_OF_TRANSFER = `(CASE WHEN p.test_clock IS NOT NULL THEN t.network || '/' || p.test_clock
  WHEN t.is_live THEN ${LIVE_CHAIN_KEY('t.network')} ELSE t.network END COLLATE "default")`;
