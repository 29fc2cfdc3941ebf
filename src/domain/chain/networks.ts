type Network = NetworkTraits & (EvmWallets | OtherWallets);

interface NetworkTraits {
  readonly name: string;
  /** What exchanges call it where their customers choose how to withdraw. */
  readonly exchangeName: string;
  /** Average time between two blocks; SIMULATOR_BLOCK_SECONDS overrides it on every network. */
  readonly blockSeconds: number;
  /** Blocks, the transfer's own included, after which money is final. */
  readonly confirmations: number;
  /** How long an unmined transfer holds rate and deadline of its payment (contract, "Money"). */
  readonly unminedHoldSeconds: number;
  /** What a transfer of a token usually costs there, as a hint: below a cent, below two dollars, above. */
  readonly fee: FeeLevel;
  /** An explorer's page of a transaction, with `{tx}` for its hash; EXPLORER_URLS overrides it. */
  readonly explorer: string;
  readonly addressFormat: AddressFormat;
  readonly transactionHashFormat: TransactionHashFormat;
}

export type FeeLevel = 'low' | 'medium' | 'high';

/** Networks that share an address format. */
interface EvmWallets {
  readonly walletUri: 'eip-681';
  /**
   * EIP-155: distinguishes networks that share an address format; without it a wallet would pay on another.
   */
  readonly chainId: number;
  /** The chain of its test network, for simulated payments: a wallet holds no real money there. */
  readonly testChainId: number;
  /** A node for everybody, for wallets that do not know the chain: they ask it, the service never does. */
  readonly publicNode: string;
  /** That network, for live payments with CHAIN_PROFILE=testnet. */
  readonly testNetwork: TestNetwork;
}

interface TestNetwork {
  readonly name: string;
  readonly publicNode: string;
  readonly explorer: string;
}

interface OtherWallets {
  readonly walletUri: Exclude<WalletUriStandard, EvmWallets['walletUri']>;
  readonly chainId: null;
  readonly testChainId: null;
  readonly testNetwork: null;
}

/**
 * `bech32`: pay to witness public key hash, version 0 (BIP-141, BIP-173). `hex`: 0x and 20 bytes.
 * `base58check`: Tron's 0x41, 20 bytes, 4 bytes of double SHA-256. `base58`: a bare 32-byte key.
 */
export type AddressFormat = 'bech32' | 'hex' | 'base58check' | 'base58';

/** `hex`: 32 bytes. `0x-hex`: the same behind 0x. `base58`: the 64 bytes of the first signature. */
export type TransactionHashFormat = 'hex' | '0x-hex' | 'base58';

/** The standard of the wallet URI: BIP-21, EIP-681, Solana Pay, or the convention of Tron's wallets. */
export type WalletUriStandard = 'bip-21' | 'eip-681' | 'solana-pay' | 'tron';

const HOUR = 3600;

/**
 * The networks. Confirmations follow large exchanges. On Tron and Solana the network itself calls a block
 * irreversible at that depth (19 of 27 super representatives; 31 votes on top of a block); Polygon's number
 * covers a milestone.
 */
export const NETWORKS = {
  bitcoin: {
    name: 'Bitcoin',
    exchangeName: 'Bitcoin (BTC)',
    blockSeconds: 600,
    confirmations: 2,
    unminedHoldSeconds: 3 * HOUR,
    fee: 'medium',
    explorer: 'https://mempool.space/tx/{tx}',
    addressFormat: 'bech32',
    transactionHashFormat: 'hex',
    walletUri: 'bip-21',
    chainId: null,
    testChainId: null,
    testNetwork: null,
  },
  ethereum: {
    name: 'Ethereum',
    exchangeName: 'Ethereum (ERC20)',
    blockSeconds: 12,
    confirmations: 12,
    unminedHoldSeconds: HOUR / 2,
    fee: 'high',
    explorer: 'https://etherscan.io/tx/{tx}',
    addressFormat: 'hex',
    transactionHashFormat: '0x-hex',
    walletUri: 'eip-681',
    chainId: 1,
    testChainId: 11_155_111,
    publicNode: 'https://ethereum-rpc.publicnode.com',
    testNetwork: {
      name: 'Sepolia',
      publicNode: 'https://ethereum-sepolia-rpc.publicnode.com',
      explorer: 'https://sepolia.etherscan.io/tx/{tx}',
    },
  },
  tron: {
    name: 'Tron',
    exchangeName: 'Tron (TRC20)',
    blockSeconds: 3,
    confirmations: 20,
    unminedHoldSeconds: HOUR / 2,
    fee: 'medium',
    explorer: 'https://tronscan.org/#/transaction/{tx}',
    addressFormat: 'base58check',
    transactionHashFormat: 'hex',
    walletUri: 'tron',
    chainId: null,
    testChainId: null,
    testNetwork: null,
  },
  polygon: {
    name: 'Polygon',
    exchangeName: 'Polygon PoS',
    blockSeconds: 2,
    confirmations: 16,
    unminedHoldSeconds: HOUR / 2,
    fee: 'low',
    explorer: 'https://polygonscan.com/tx/{tx}',
    addressFormat: 'hex',
    transactionHashFormat: '0x-hex',
    walletUri: 'eip-681',
    chainId: 137,
    testChainId: 80_002,
    publicNode: 'https://polygon-bor-rpc.publicnode.com',
    testNetwork: {
      name: 'Polygon Amoy',
      publicNode: 'https://rpc-amoy.polygon.technology',
      explorer: 'https://amoy.polygonscan.com/tx/{tx}',
    },
  },
  solana: {
    name: 'Solana',
    exchangeName: 'Solana (SPL)',
    blockSeconds: 0.4,
    confirmations: 32,
    unminedHoldSeconds: HOUR / 2,
    fee: 'low',
    explorer: 'https://solscan.io/tx/{tx}',
    addressFormat: 'base58',
    transactionHashFormat: 'base58',
    walletUri: 'solana-pay',
    chainId: null,
    testChainId: null,
    testNetwork: null,
  },
} as const satisfies Record<string, Network>;

export type NetworkId = keyof typeof NETWORKS;

export const NETWORK_IDS = Object.keys(NETWORKS) as readonly NetworkId[];

/** True for the id of a network in the table; "constructor" is none. */
export function isNetwork(value: string): value is NetworkId {
  return Object.hasOwn(NETWORKS, value);
}

/** Seconds until a transfer is final on average, beginning with its block. */
export function secondsToConfirm(network: NetworkId): number {
  const { blockSeconds, confirmations } = NETWORKS[network];
  return blockSeconds * confirmations;
}

/** Blocks may come late, and a poll may fail: a real network that is read up to now is behind by less. */
export function mostSecondsBehind(network: NetworkId): number {
  return 60 + 3 * NETWORKS[network].blockSeconds;
}

const FEE_LEVELS: readonly FeeLevel[] = ['low', 'medium', 'high'];

/** The networks, cheapest first, and of equally cheap ones the fastest. */
export const NETWORKS_BY_FEE: readonly NetworkId[] = [...NETWORK_IDS].sort(
  (a, b) =>
    FEE_LEVELS.indexOf(NETWORKS[a].fee) - FEE_LEVELS.indexOf(NETWORKS[b].fee) ||
    secondsToConfirm(a) - secondsToConfirm(b),
);
