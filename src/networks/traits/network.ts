import type { CoinId } from './coins.ts';

/** A network is a file of this form. Everything else that knows networks derives from the table of them. */
export type Network = EvmNetwork | OtherNetwork;

interface Traits {
  readonly name: string;
  /** What exchanges call it where their customers choose how to withdraw. */
  readonly exchangeName: string;
  /** Average time between two blocks; SIMULATOR_BLOCK_SECONDS overrides it on every network. */
  readonly blockSeconds: number;
  /** Blocks, the transfer's own included, after which money is final. */
  readonly confirmations: number;
  /** What makes a transfer final where it is really read; CONFIRMATIONS_ overrides it. Absent: the blocks. */
  readonly finality?: readonly FinalityRule[];
  /** How many blocks a checkpoint mostly takes, for what people are shown and for the order of transfers. */
  readonly checkpointBlocks?: Readonly<Record<'safe' | 'finalized', number>>;
  /** How long an unmined transfer holds rate and deadline of its payment (contract, "Money"). */
  readonly unminedHoldSeconds: number;
  /** What a transfer of a token usually costs there, as a hint: below a cent, below two dollars, above. */
  readonly fee: FeeLevel;
  /** An explorer's page of a transaction, with `{tx}` for its hash; EXPLORER_URLS overrides it. */
  readonly explorer: string;
  readonly addressFormat: AddressFormat;
  readonly transactionHashFormat: TransactionHashFormat;
  /** By which Trust Wallet names it: SLIP-44, or a number of its own (wallet-core, registry.json). */
  readonly coinType: number;
  /** A page offers it where its merchant has named it, or settles there; absent: to everybody. */
  readonly isOnRequest?: true;
  readonly coins: Readonly<Partial<Record<CoinId, CoinOnNetwork>>>;
}

/** Networks that share an address format. */
export interface EvmNetwork extends Traits {
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
  /** For so long no block may come: nobody mines there for money. Absent: they come as on the main one. */
  readonly mostIdleSeconds?: number;
}

export interface OtherNetwork extends Traits {
  readonly walletUri: Exclude<WalletUriStandard, EvmNetwork['walletUri']>;
  readonly chainId: null;
  readonly testChainId: null;
  /** Null: no live payments are on it. */
  readonly testNetwork: Omit<TestNetwork, 'publicNode'> | null;
}

export interface CoinOnNetwork {
  /** Decimals of the smallest unit. They differ between networks: USDC has 6 on most, and 18 on BNB Chain. */
  readonly decimals: number;
  /** The token's contract (on Solana: its mint); null: the coin is native to the network. */
  readonly contract: string | null;
  /** The contract of the issuer's token on the test network, without value; absent: it issues none there. */
  readonly testContract?: string;
}

/** From an amount on, what makes a transfer final: a checkpoint of its chain, or so many blocks. */
export interface FinalityRule {
  /** US dollars. */
  readonly from: number;
  readonly by: 'safe' | 'finalized' | number;
}

export type FeeLevel = 'low' | 'medium' | 'high';

/**
 * `bech32`: pay to witness public key hash, version 0 (BIP-141, BIP-173). `hex`: 0x and 20 bytes.
 * `base58check`: Tron's 0x41, 20 bytes, 4 bytes of double SHA-256. `base58`: a bare 32-byte key.
 */
export type AddressFormat = 'bech32' | 'hex' | 'base58check' | 'base58';

/** `hex`: 32 bytes. `0x-hex`: the same behind 0x. `base58`: the 64 bytes of the first signature. */
export type TransactionHashFormat = 'hex' | '0x-hex' | 'base58';

/** The standard of the wallet URI: BIP-21, EIP-681, Solana Pay, or the convention of Tron's wallets. */
export type WalletUriStandard = 'bip-21' | 'eip-681' | 'solana-pay' | 'tron';

export const HOUR = 3600;

/** What EVM networks have in common. */
export const EVM = {
  unminedHoldSeconds: HOUR / 2,
  addressFormat: 'hex',
  transactionHashFormat: '0x-hex',
  walletUri: 'eip-681',
} as const;

/** What networks of another kind have in common. */
export const NO_EVM = { chainId: null, testChainId: null, testNetwork: null } as const;
