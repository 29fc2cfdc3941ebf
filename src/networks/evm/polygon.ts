import { EVM, type EvmNetwork } from '../traits/network.ts';

/** Polygon PoS. Its confirmations cover a milestone, which makes a block final within a minute or two. */
export const polygon = {
  ...EVM,
  name: 'Polygon',
  exchangeName: 'Polygon PoS',
  blockSeconds: 2,
  confirmations: 16,
  finality: [{ from: 0, by: 'finalized' }],
  checkpointBlocks: { safe: 16, finalized: 16 },
  fee: 'low',
  explorer: 'https://polygonscan.com/tx/{tx}',
  coinType: 966,
  chainId: 137,
  testChainId: 80_002,
  publicNode: 'https://polygon-bor-rpc.publicnode.com',
  testNetwork: {
    name: 'Polygon Amoy',
    publicNode: 'https://rpc-amoy.polygon.technology',
    explorer: 'https://amoy.polygonscan.com/tx/{tx}',
  },
  coins: {
    POL: { decimals: 18, contract: null },
    USDT: { decimals: 6, contract: '0xc2132D05D31c914a87C6611C10748AEb04B58e8F' },
    USDC: {
      decimals: 6,
      contract: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359',
      testContract: '0x41E94Eb019C0762f9Bfcf9Fb1E58725BfB0e7582',
    },
    DAI: { decimals: 18, contract: '0x8f3Cf7ad23Cd3CaDbD9735AFf958023239c6A063' },
  },
} as const satisfies EvmNetwork;
