import { HOUR, NO_EVM, type OtherNetwork } from '../traits/network.ts';

/** Solana. It calls a block irreversible at this depth: 31 votes on top of a block. */
export const solana = {
  ...NO_EVM,
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
  coinType: 501,
  coins: {
    SOL: { decimals: 9, contract: null },
    USDT: { decimals: 6, contract: 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB' },
    USDC: { decimals: 6, contract: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v' },
  },
} as const satisfies OtherNetwork;
