import { EVM, type EvmNetwork } from '../traits/network.ts';

/**
 * Arbitrum One. Its sequencer's blocks are `safe` and `finalized` with the block of Ethereum that their batch
 * is in. Confirmations follow Cryptopay. USDT is the contract that has become USDT0.
 */
export const arbitrum = {
  ...EVM,
  name: 'Arbitrum One',
  exchangeName: 'Arbitrum One',
  blockSeconds: 0.25,
  confirmations: 30,
  finality: [
    { from: 0, by: 'safe' },
    { from: 1_000, by: 'finalized' },
  ],
  checkpointBlocks: { safe: 2_400, finalized: 4_800 },
  fee: 'low',
  explorer: 'https://arbiscan.io/tx/{tx}',
  coinType: 10_042_221,
  isOnRequest: true,
  chainId: 42_161,
  testChainId: 421_614,
  publicNode: 'https://arbitrum-one-rpc.publicnode.com',
  testNetwork: {
    name: 'Arbitrum Sepolia',
    publicNode: 'https://sepolia-rollup.arbitrum.io/rpc',
    explorer: 'https://sepolia.arbiscan.io/tx/{tx}',
  },
  coins: {
    ETH: { decimals: 18, contract: null },
    USDT: { decimals: 6, contract: '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9' },
    USDC: {
      decimals: 6,
      contract: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831',
      testContract: '0x75faf114eafb1BDbe2F0316DF893fd58CE46AA4d',
    },
  },
} as const satisfies EvmNetwork;
