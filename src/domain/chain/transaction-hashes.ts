import { createHash } from 'node:crypto';
import { base58 } from '@scure/base';
import { plain } from '../../platform/values/money.ts';
import { networkOf, type ChainKey } from './chain-key.ts';
import type { CoinId } from './coins.ts';
import type { TransactionHashFormat } from '../../networks/traits/network.ts';
import { NETWORKS, type NetworkId } from './networks.ts';

const FORMATS: Record<TransactionHashFormat, (content: string) => string> = {
  hex: (content) => digest('sha256', content).toString('hex'),
  '0x-hex': (content) => `0x${digest('sha256', content).toString('hex')}`,
  base58: (content) => base58.encode(digest('sha512', content)),
};

/**
 * Returns the hash of a simulated transaction, in the network's format. It depends on the content alone;
 * `nonce` distinguishes transfers that are otherwise equal.
 */
export function transactionHash(
  network: NetworkId,
  content: { address: string; coin: CoinId; amount: string; nonce: string },
): string {
  const { address, coin, amount, nonce } = content;
  return FORMATS[NETWORKS[network].transactionHashFormat](
    JSON.stringify([network, address, coin, plain(amount), nonce]),
  );
}

/** Returns the hash of a simulated payout, in the network's format. It depends on the reference alone. */
export function payoutHash(network: NetworkId, reference: string): string {
  return FORMATS[NETWORKS[network].transactionHashFormat](JSON.stringify(['payout', reference]));
}

/** Returns the hash of a simulated block, which depends on its chain and height alone. */
export function blockHash(chain: ChainKey, height: number): string {
  return FORMATS[NETWORKS[networkOf(chain)].transactionHashFormat](JSON.stringify(['block', chain, height]));
}

function digest(algorithm: 'sha256' | 'sha512', content: string): Buffer {
  return createHash(algorithm).update(content).digest();
}

/**
 * What stands in place of the hash of money that only a balance tells of: a contract sent it, within a
 * transaction that names another receiver. The height of the block at which it was found follows.
 */
const PREFIX = 'balance:';

/** Returns what stands in place of the hash of money that was found by a balance at a height. */
export const foundAt = (height: number): string => `${PREFIX}${height}`;

/** True for money of which no transaction is known. */
export const isFound = (txHash: string): boolean => txHash.startsWith(PREFIX);

/** Returns the hash of a transfer's transaction; null: none is known. */
export const hashOf = (txHash: string): string | null => (isFound(txHash) ? null : txHash);

/** SQL: the same of a column. */
export const HASH_OF = (column: string) => `CASE WHEN ${column} NOT LIKE '${PREFIX}%' THEN ${column} END`;
