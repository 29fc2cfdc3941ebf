import { HOUR, NO_EVM, type OtherNetwork } from '../traits/network.ts';

/** Tron. It calls a block irreversible at this depth: 19 of 27 super representatives. */
export const tron = {
  ...NO_EVM,
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
  coinType: 195,
  coins: {
    TRX: { decimals: 6, contract: null },
    USDT: { decimals: 6, contract: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t' },
  },
} as const satisfies OtherNetwork;
