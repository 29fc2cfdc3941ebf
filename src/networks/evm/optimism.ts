import { EVM, type EvmNetwork } from '../traits/network.ts';

/**
 * OP Mainnet, of the OP Stack like Base. USDT is left out: there are two tokens of that name, the bridged one
 * and USDT0, and exchanges pay out either.
 */
export const optimism = {
  ...EVM,
  name: 'Optimism',
  exchangeName: 'Optimism',
  blockSeconds: 2,
  confirmations: 10,
  finality: [
    { from: 0, by: 'safe' },
    { from: 1_000, by: 'finalized' },
  ],
  checkpointBlocks: { safe: 240, finalized: 600 },
  fee: 'low',
  explorer: 'https://optimistic.etherscan.io/tx/{tx}',
  coinType: 10_000_070,
  isOnRequest: true,
  chainId: 10,
  testChainId: 11_155_420,
  publicNode: 'https://optimism-rpc.publicnode.com',
  testNetwork: {
    name: 'OP Sepolia',
    publicNode: 'https://sepolia.optimism.io',
    explorer: 'https://sepolia-optimism.etherscan.io/tx/{tx}',
  },
  coins: {
    ETH: { decimals: 18, contract: null },
    USDC: {
      decimals: 6,
      contract: '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85',
      testContract: '0x5fd84259d66Cd46123540766Be93DFE6D43130D7',
    },
  },
} as const satisfies EvmNetwork;
