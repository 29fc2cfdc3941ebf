import { createHash } from 'node:crypto';
import { base58 } from '@scure/base';
import { plain } from '../../platform/values/money.ts';
import { networkOf, type ChainKey } from './chain-key.ts';
import type { CoinId } from './coins.ts';
import { NETWORKS, type NetworkId, type TransactionHashFormat } from './networks.ts';

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
