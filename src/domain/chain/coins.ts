import { compare, divide } from '../../platform/values/money.ts';
import { isNetwork, NETWORK_IDS, type NetworkId } from './networks.ts';

interface Coin {
  readonly name: string;
  /** US dollars per coin on the simulated market. It is fixed: the same payment always costs the same. */
  readonly simulatedRate: string;
  /** Its issuer promises one US dollar for it. */
  readonly isPegged?: true;
  /** The networks on which the coin exists. */
  readonly networks: Readonly<Partial<Record<NetworkId, CoinOnNetwork>>>;
}

interface CoinOnNetwork {
  /** Decimals of the smallest unit. */
  readonly decimals: number;
  /** The token's contract (on Solana: its mint); null: the coin is native to the network. */
  readonly contract: string | null;
  /** The contract of the issuer's token on the test network, without value; absent: it issues none there. */
  readonly testContract?: string;
  /**
   * Dust limit, a decimal string in the coin: a refund sends more than this, and an amount that differs from
   * a price by less is neither underpaid nor overpaid.
   */
  readonly dust: string;
}

/** Most decimals that wallets and exchanges accept in an amount to send. */
const WALLET_DECIMALS = 8;

/** Where each coin exists: as the native coin, or as the token that its own issuer or foundation issues. */
export const COINS = {
  BTC: {
    name: 'Bitcoin',
    simulatedRate: '60000',
    // Bitcoin Core does not relay an output below this: P2PKH at its default dust relay fee of 3 sat/vB.
    networks: { bitcoin: { decimals: 8, contract: null, dust: '0.00000546' } },
  },
  ETH: {
    name: 'Ether',
    simulatedRate: '3000',
    // Our choice: a fraction of a US cent. The network has no limit.
    networks: { ethereum: { decimals: 18, contract: null, dust: '0.000001' } },
  },
  USDT: {
    name: 'Tether',
    simulatedRate: '1',
    isPegged: true,
    // Our choice: a tenth of a US cent. The networks have no limit for a token.
    networks: {
      ethereum: { decimals: 6, contract: '0xdAC17F958D2ee523a2206206994597C13D831ec7', dust: '0.001' },
      tron: { decimals: 6, contract: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', dust: '0.001' },
      polygon: { decimals: 6, contract: '0xc2132D05D31c914a87C6611C10748AEb04B58e8F', dust: '0.001' },
      solana: { decimals: 6, contract: 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB', dust: '0.001' },
    },
  },
  USDC: {
    name: 'USD Coin',
    simulatedRate: '1',
    isPegged: true,
    // Our choice: a tenth of a US cent. The networks have no limit for a token.
    networks: {
      ethereum: {
        decimals: 6,
        contract: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
        testContract: '0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238',
        dust: '0.001',
      },
      polygon: {
        decimals: 6,
        contract: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359',
        testContract: '0x41E94Eb019C0762f9Bfcf9Fb1E58725BfB0e7582',
        dust: '0.001',
      },
      solana: { decimals: 6, contract: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', dust: '0.001' },
    },
  },
  TRX: {
    name: 'Tronix',
    simulatedRate: '0.25',
    // Our choice: a fraction of a US cent. The network has no limit.
    networks: { tron: { decimals: 6, contract: null, dust: '0.001' } },
  },
  SOL: {
    name: 'Solana',
    simulatedRate: '150',
    // The rent-exempt minimum of an account without data, 890,880 lamports: a transfer of less to a new
    // address fails.
    networks: { solana: { decimals: 9, contract: null, dust: '0.00089088' } },
  },
  POL: {
    name: 'Polygon Ecosystem Token',
    simulatedRate: '0.4',
    // Our choice: a fraction of a US cent. The networks have no limit.
    networks: {
      ethereum: { decimals: 18, contract: '0x455e53CBB86018Ac2B8092FdCd39d8444aFFC3F6', dust: '0.001' },
      polygon: { decimals: 18, contract: null, dust: '0.001' },
    },
  },
  DAI: {
    name: 'Dai',
    simulatedRate: '1',
    isPegged: true,
    // Our choice: a tenth of a US cent. The networks have no limit for a token.
    networks: {
      ethereum: { decimals: 18, contract: '0x6B175474E89094C44Da98b954EedeAC495271d0F', dust: '0.001' },
      polygon: { decimals: 18, contract: '0x8f3Cf7ad23Cd3CaDbD9735AFf958023239c6A063', dust: '0.001' },
    },
  },
} as const satisfies Record<string, Coin>;

export type CoinId = keyof typeof COINS;

export const COIN_IDS = Object.keys(COINS) as readonly CoinId[];

/** Stablecoins of the US dollar. */
export const PEGGED_COINS: ReadonlySet<CoinId> = new Set(
  COIN_IDS.filter((coin) => 'isPegged' in COINS[coin]),
);

/** Every payment method: each coin on each network on which it exists. */
export const COINS_ON_NETWORKS: readonly { coin: CoinId; network: NetworkId }[] = COIN_IDS.flatMap((coin) =>
  NETWORK_IDS.filter((network) => isCoinOn(coin, network)).map((network) => ({ coin, network })),
);

/** True for the id of a coin in the table. */
export function isCoin(value: string): value is CoinId {
  return Object.hasOwn(COINS, value);
}

/** True when both are known and `coin` exists on `network`. */
export function isCoinOn(coin: string, network: string): boolean {
  return isCoin(coin) && isNetwork(network) && Object.hasOwn(COINS[coin].networks, network);
}

/** Returns the decimals of `coin` on `network`. Throws RangeError when the coin does not exist there. */
export function decimalsOf(coin: CoinId, network: NetworkId): number {
  return coinOn(coin, network).decimals;
}

/**
 * Returns `amount` (0 or more) rounded to the decimals of `coin` on `network`. Throws RangeError when the
 * coin does not exist there.
 */
export function roundToUnits(
  amount: string,
  coin: CoinId,
  network: NetworkId,
  rounding: 'up' | 'down',
): string {
  return divide(amount, '1', decimalsOf(coin, network), rounding);
}

/** True when `amount` (0 or more) is a whole number of the coin's smallest units on `network`. */
export function isInUnits(amount: string, coin: CoinId, network: NetworkId): boolean {
  return compare(amount, roundToUnits(amount, coin, network, 'down')) === 0;
}

/**
 * Returns the dust limit of `coin` on `network`, a decimal string in the coin. Throws RangeError when the
 * coin does not exist there.
 */
export function dustOf(coin: CoinId, network: NetworkId): string {
  return coinOn(coin, network).dust;
}

/**
 * Returns the smallest step of a quote in `coin` on `network`, as a decimal string: one unit of the last
 * decimal that a customer can send. Throws RangeError when the coin does not exist there.
 */
export function quoteUnit(coin: CoinId, network: NetworkId): string {
  const decimals = Math.min(WALLET_DECIMALS, decimalsOf(coin, network));
  return `0.${'1'.padStart(decimals, '0')}`;
}

/**
 * Returns the contract of `coin`; null for a native coin. Throws RangeError when it does not exist on
 * `network`.
 */
export function tokenContract(coin: CoinId, network: NetworkId): string | null {
  return coinOn(coin, network).contract;
}

/** Returns the contract of a token on the test network of `network`; null: its issuer has none there. */
export function testTokenContract(coin: CoinId, network: NetworkId): string | null {
  return coinOn(coin, network).testContract ?? null;
}

function coinOn(coin: CoinId, network: NetworkId): CoinOnNetwork {
  const { networks }: Coin = COINS[coin];
  const found = networks[network];
  if (found === undefined) throw new RangeError(`${coin} does not exist on ${network}`);
  return found;
}
