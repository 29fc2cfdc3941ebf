import { EVM, type EvmNetwork } from '../traits/network.ts';

/**
 * BNB Smart Chain. Validators vote a block `finalized` within two blocks; confirmations follow Cryptopay. Its
 * dollars are those that Binance pegs, and have 18 decimals.
 */
export const bnb = {
  ...EVM,
  name: 'BNB Chain',
  exchangeName: 'BNB Smart Chain (BEP20)',
  blockSeconds: 0.45,
  confirmations: 15,
  finality: [{ from: 0, by: 'finalized' }],
  checkpointBlocks: { safe: 15, finalized: 15 },
  fee: 'low',
  explorer: 'https://bscscan.com/tx/{tx}',
  coinType: 20_000_714,
  isOnRequest: true,
  chainId: 56,
  testChainId: 97,
  publicNode: 'https://bsc-rpc.publicnode.com',
  testNetwork: {
    name: 'BNB Testnet',
    publicNode: 'https://bsc-testnet-rpc.publicnode.com',
    explorer: 'https://testnet.bscscan.com/tx/{tx}',
  },
  coins: {
    BNB: { decimals: 18, contract: null },
    USDT: { decimals: 18, contract: '0x55d398326f99059fF775485246999027B3197955' },
    USDC: { decimals: 18, contract: '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d' },
  },
} as const satisfies EvmNetwork;
