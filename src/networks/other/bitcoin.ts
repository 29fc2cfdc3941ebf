import { HOUR, NO_EVM, type OtherNetwork } from '../traits/network.ts';

/** Bitcoin. Confirmations follow large exchanges. */
export const bitcoin = {
  ...NO_EVM,
  name: 'Bitcoin',
  exchangeName: 'Bitcoin (BTC)',
  blockSeconds: 600,
  confirmations: 2,
  finality: [
    { from: 0, by: 1 },
    { from: 500, by: 2 },
    { from: 5_000, by: 6 },
  ],
  unminedHoldSeconds: 3 * HOUR,
  fee: 'medium',
  explorer: 'https://mempool.space/tx/{tx}',
  testNetwork: {
    name: 'Bitcoin testnet',
    explorer: 'https://mempool.space/testnet4/tx/{tx}',
    mostIdleSeconds: 24 * HOUR,
  },
  addressFormat: 'bech32',
  transactionHashFormat: 'hex',
  walletUri: 'bip-21',
  coinType: 0,
  coins: { BTC: { decimals: 8, contract: null } },
} as const satisfies OtherNetwork;
