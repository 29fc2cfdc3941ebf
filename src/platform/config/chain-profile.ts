import { EVM_NETWORK_IDS, NETWORKS } from '../../networks/networks.ts';
import { oneOf, type Parse, type Reader } from './values.ts';

/** Which chains stand behind the real networks of live payments; `regtest` is for trials of one's own. */
export interface ProfileConfig {
  readonly chainProfile: 'mainnet' | 'testnet' | 'regtest';
  /** Contracts of tokens on test networks, by COIN/NETWORK. */
  readonly testnetTokens: Readonly<Record<string, string>>;
}

/** Reads the profile; adds a fault where contracts are configured for main networks. */
export function readChainProfile(read: Reader, faults: string[]): ProfileConfig {
  const chainProfile = read('CHAIN_PROFILE', oneOf(['mainnet', 'testnet', 'regtest'] as const), 'mainnet');
  const tokens = read('TESTNET_TOKENS', testnetTokens, {});
  if (chainProfile === 'mainnet' && Object.keys(tokens).length > 0)
    faults.push(
      'TESTNET_TOKENS is only for CHAIN_PROFILE=testnet or regtest: tokens of main networks are not configured',
    );
  return { chainProfile, testnetTokens: tokens };
}

/** The tokens of EVM networks: on test networks their contracts can be configured. */
export const TESTNET_TOKENS: readonly string[] = EVM_NETWORK_IDS.flatMap((network) =>
  Object.entries(NETWORKS[network].coins).flatMap(([coin, { contract }]) =>
    contract === null ? [] : `${coin}/${network}`,
  ),
);

/** `USDT/ethereum=0x...` with commas: contracts of tokens on test networks. */
const testnetTokens: Parse<Readonly<Record<string, string>>> = (value) => {
  const contracts = value.split(',').map((pair) => {
    const [name = '', contract = ''] = pair.trim().split('=');
    if (!TESTNET_TOKENS.includes(name) || !/^0x[\da-fA-F]{40}$/.test(contract))
      throw new Error('must be COIN/NETWORK=0x... with commas, of tokens on EVM networks');
    return [name, contract] as const;
  });
  return Object.fromEntries(contracts);
};
