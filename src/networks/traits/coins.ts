interface Coin {
  readonly name: string;
  /** US dollars per coin on the simulated market. It is fixed: the same payment always costs the same. */
  readonly simulatedRate: string;
  /** Its issuer promises one US dollar for it. */
  readonly isPegged?: true;
  /**
   * Dust limit, a decimal string in the coin: a refund sends more than this, and an amount that differs from
   * a price by less is neither underpaid nor overpaid. Where the network has no limit it is our choice: a
   * tenth of a US cent for tokens of the dollar, a fraction of a cent for others.
   */
  readonly dust: string;
}

/** The coins. Where each of them exists, networks say. */
export const COINS = {
  // Bitcoin Core does not relay an output below this: P2PKH at its default dust relay fee of 3 sat/vB.
  BTC: { name: 'Bitcoin', simulatedRate: '60000', dust: '0.00000546' },
  ETH: { name: 'Ether', simulatedRate: '3000', dust: '0.000001' },
  USDT: { name: 'Tether', simulatedRate: '1', isPegged: true, dust: '0.001' },
  USDC: { name: 'USD Coin', simulatedRate: '1', isPegged: true, dust: '0.001' },
  TRX: { name: 'Tronix', simulatedRate: '0.25', dust: '0.001' },
  // The rent-exempt minimum of an account without data, 890,880 lamports: a transfer of less to a new address
  // fails.
  SOL: { name: 'Solana', simulatedRate: '150', dust: '0.00089088' },
  POL: { name: 'Polygon Ecosystem Token', simulatedRate: '0.4', dust: '0.001' },
  DAI: { name: 'Dai', simulatedRate: '1', isPegged: true, dust: '0.001' },
  BNB: { name: 'BNB', simulatedRate: '600', dust: '0.000001' },
} as const satisfies Record<string, Coin>;

export type CoinId = keyof typeof COINS;

export const COIN_IDS = Object.keys(COINS) as readonly CoinId[];
