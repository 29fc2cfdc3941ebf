import { EVM, type EvmNetwork } from '../traits/network.ts';

/** Ethereum. Confirmations follow large exchanges. */
export const ethereum = {
  ...EVM,
  name: 'Ethereum',
  exchangeName: 'Ethereum (ERC20)',
  blockSeconds: 12,
  confirmations: 12,
  finality: [
    { from: 0, by: 'safe' },
    { from: 1_000, by: 'finalized' },
  ],
  checkpointBlocks: { safe: 48, finalized: 80 },
  fee: 'high',
  explorer: 'https://etherscan.io/tx/{tx}',
  coinType: 60,
  chainId: 1,
  testChainId: 11_155_111,
  publicNode: 'https://ethereum-rpc.publicnode.com',
  testNetwork: {
    name: 'Sepolia',
    publicNode: 'https://ethereum-sepolia-rpc.publicnode.com',
    explorer: 'https://sepolia.etherscan.io/tx/{tx}',
  },
  coins: {
    ETH: { decimals: 18, contract: null },
    USDT: { decimals: 6, contract: '0xdAC17F958D2ee523a2206206994597C13D831ec7' },
    USDC: {
      decimals: 6,
      contract: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
      testContract: '0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238',
    },
    POL: { decimals: 18, contract: '0x455e53CBB86018Ac2B8092FdCd39d8444aFFC3F6' },
    DAI: { decimals: 18, contract: '0x6B175474E89094C44Da98b954EedeAC495271d0F' },
  },
} as const satisfies EvmNetwork;
