import type { CoinId } from './coins.ts';
import type { NetworkId } from './networks.ts';

/** The contract (on Solana: the mint) of each coin that is a token where it lives; what is not here is its network's own coin. */
const CONTRACTS: Readonly<Partial<Record<CoinId, Readonly<Partial<Record<NetworkId, string>>>>>> = {
  USDT: {
    ethereum: '0xdAC17F958D2ee523a2206206994597C13D831ec7',
    polygon: '0xc2132D05D31c914a87C6611C10748AEb04B58e8F',
    tron: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
    solana: 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB',
  },
  USDC: {
    ethereum: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
    polygon: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359',
    solana: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  },
  POL: { ethereum: '0x455e53CBB86018Ac2B8092FdCd39d8444aFFC3F6' },
  DAI: {
    ethereum: '0x6B175474E89094C44Da98b954EedeAC495271d0F',
    polygon: '0x8f3Cf7ad23Cd3CaDbD9735AFf958023239c6A063',
  },
};

/** The contract of `coin` on `network`; null where it is the network's own coin. */
export function tokenContract(coin: CoinId, network: NetworkId): string | null {
  return CONTRACTS[coin]?.[network] ?? null;
}
