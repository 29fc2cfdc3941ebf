import type { NetworkId } from './networks.ts';

/** Identifies a chain: the shared one of a network (`tron`), or that of a test clock (`tron/TEST_CLOCK`). */
export type ChainKey = string;

/**
 * Returns the key of a network's shared chain or, with the id of a test clock, of its isolated payment's
 * chain.
 */
export function chainKey(network: NetworkId, testClock: string | null): ChainKey {
  return testClock === null ? network : `${network}/${testClock}`;
}

/** Returns the network that a chain belongs to. */
export function networkOf(chain: ChainKey): NetworkId {
  return chain.split('/', 1)[0] as NetworkId;
}

/**
 * SQL: the chain key of a transfer `t` of a payment `p`, equal to what `chainKey` returns. `||` takes the
 * collation of `test_clock`, for which the primary key of chain_cursors cannot be used; without COLLATE each
 * lookup would read the whole table.
 */
export const CHAIN_KEY_OF_TRANSFER = `(CASE WHEN p.test_clock IS NULL THEN t.network
  ELSE t.network || '/' || p.test_clock END COLLATE "default")`;
