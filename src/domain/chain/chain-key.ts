import type { NetworkId } from './networks.ts';

/** A network, or the network's chain of an isolated payment: `tron` or `tron/TEST_CLOCK`. */
export type ChainKey = string;

/** The chain of a network that everybody shares, or, with the id of a test clock, the one of its isolated payment. */
export function chainKey(network: NetworkId, testClock: string | null): ChainKey {
  return testClock === null ? network : `${network}/${testClock}`;
}

/** The network that a chain belongs to. */
export function networkOf(chain: ChainKey): NetworkId {
  return chain.split('/', 1)[0] as NetworkId;
}

/**
 * SQL: the key of the chain of a transfer `t` of a payment `p`, as `chainKey` makes it. `||` takes on the collation of `test_clock`,
 * with which the primary key of chain_cursors does not serve; without COLLATE each lookup would read the whole table.
 */
export const CHAIN_KEY_OF_TRANSFER = `(CASE WHEN p.test_clock IS NULL THEN t.network
  ELSE t.network || '/' || p.test_clock END COLLATE "default")`;
