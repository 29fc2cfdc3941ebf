import { EVM, type EvmNetwork } from '../traits/network.ts';

/**
 * Base, of the OP Stack. Its sequencer's blocks are `safe` once their batch is on Ethereum, and `finalized`
 * with that. Confirmations follow BVNK. USDT is not issued there.
 */
export const base = {
  ...EVM,
  name: 'Base',
  exchangeName: 'Base',
  blockSeconds: 2,
  confirmations: 10,
  finality: [
    { from: 0, by: 'safe' },
    { from: 1_000, by: 'finalized' },
  ],
  checkpointBlocks: { safe: 240, finalized: 600 },
  fee: 'low',
  explorer: 'https://basescan.org/tx/{tx}',
  coinType: 8_453,
  isOnRequest: true,
  chainId: 8_453,
  testChainId: 84_532,
  publicNode: 'https://base-rpc.publicnode.com',
  testNetwork: {
    name: 'Base Sepolia',
    publicNode: 'https://sepolia.base.org',
    explorer: 'https://sepolia.basescan.org/tx/{tx}',
  },
  coins: {
    ETH: { decimals: 18, contract: null },
    USDC: {
      decimals: 6,
      contract: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
      testContract: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
    },
  },
} as const satisfies EvmNetwork;
