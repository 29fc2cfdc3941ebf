import type { NetworkId } from '../networks.ts';
import type { ChainTransfer } from '../port.ts';
import type { Limits } from '../rpc/json-rpc.ts';

/** What a client of Bitcoin goes by. */
export interface BitcoinOptions {
  readonly network: NetworkId;
  /** URLs of the RPC of nodes with a transaction index, in the order in which they take turns: secrets. */
  readonly urls: readonly string[];
  /** Base URLs of Esplora hosts: second sources for what is large. */
  readonly esplora: readonly string[];
  readonly chain: BitcoinChain;
  /** Blocks, its own included, with which a block is final. */
  readonly depth: number;
  /** Returns the transfers that a second host must confirm. Default: none. */
  readonly largeOf?: (transfers: readonly ChainTransfer[]) => Promise<readonly ChainTransfer[]>;
  readonly limits?: Limits;
  readonly pageMs?: number;
}

export type BitcoinChain = 'main' | 'test' | 'regtest';

/** What distinguishes the main chain from the ones without value. */
export interface ChainTraits {
  /** Of segwit addresses (BIP-173). */
  readonly prefix: string;
  /** Version bytes of base58 addresses: pay to public key hash, pay to script hash. */
  readonly versions: readonly [number, number];
  /** The hashes of first blocks: several chains are for tests. */
  readonly genesis: readonly string[];
  /** The easiest target of a block, in the form of a header: whoever makes one up has to work as hard. */
  readonly easiestBits: number;
  /** A block is as hard as the one before, but for one in 2,016, which is at most four times as easy. */
  readonly isSteady: boolean;
  /** From this height on a block names its own (BIP-34). */
  readonly namesHeightFrom: number;
}

const EASY_BITS = 0x207fffff;

export const CHAINS: Readonly<Record<BitcoinChain, ChainTraits>> = {
  main: {
    prefix: 'bc',
    versions: [0x00, 0x05],
    genesis: ['000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f'],
    // Two thousand times as easy as it was in 2025, and a month of a large miner's machine for each block.
    easiestBits: 0x180fffff,
    isSteady: true,
    namesHeightFrom: 227_931,
  },
  // Testnet 3, testnet 4 and signet: one that is late may be easy there.
  test: {
    prefix: 'tb',
    versions: [0x6f, 0xc4],
    genesis: [
      '000000000933ea01ad0ee984209779baaec3ced90fa3f408719526f8d77f4943',
      '00000000da84f2bafbbc53dee25a72ae507ff4914b867c565be350b0da8bf043',
      '00000008819873e925422c1ff0f99f7cc9bbb232af63a077a480a3633bee1ef6',
    ],
    easiestBits: EASY_BITS,
    isSteady: false,
    namesHeightFrom: 21_111,
  },
  regtest: {
    prefix: 'bcrt',
    versions: [0x6f, 0xc4],
    genesis: ['0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206'],
    easiestBits: EASY_BITS,
    isSteady: true,
    namesHeightFrom: 1,
  },
};
