import { expect } from 'chai';
import { COINS_ON_NETWORKS, tokenContract } from '../../../../src/domain/chain/coins.ts';
import { NETWORKS } from '../../../../src/domain/chain/networks.ts';
import { realChains, SIMULATED_CHAINS } from '../../../../src/domain/chain/profile.ts';
import { universalLinks } from '../../../../src/domain/chain/demand/universal-links.ts';
import { WALLET_CHAINS } from '../../../../src/domain/chain/demand/wallet-chains.ts';
import type { Demand } from '../../../../src/domain/chain/demand/wallet-uri.ts';

const MAINNET = realChains({ chainProfile: 'mainnet', testnetTokens: {} });
const ADDRESS = '0xa';
const TRUST = 'https://link.trustwallet.com/send?asset=';

describe('the links into wallets of a phone', () => {
  const linksOf = (demand: Pick<Demand, 'coin' | 'network'>, chains = MAINNET) =>
    Object.fromEntries(
      universalLinks({ ...demand, address: ADDRESS, amount: '10.50', chains }).map(({ wallet, url }) => [
        wallet,
        url,
      ]),
    );

  it('name coin, chain, address and amount as their makers document it', () => {
    const usdc = tokenContract('USDC', 'polygon');
    expect(linksOf({ coin: 'USDC', network: 'polygon' })).to.deep.equal({
      MetaMask: `https://link.metamask.io/send/${usdc}@137/transfer?address=0xa&uint256=10500000`,
      'Trust Wallet': `${TRUST}c966_t${usdc}&address=0xa&amount=10.50`,
    });
    expect(linksOf({ coin: 'ETH', network: 'ethereum' })).to.deep.equal({
      MetaMask: 'https://link.metamask.io/send/0xa@1?value=10500000000000000000',
      'Trust Wallet': `${TRUST}c60&address=0xa&amount=10.50`,
    });
    const [pegged, native] = [tokenContract('USDC', 'bnb'), tokenContract('USDC', 'base')];
    // 10.50 of a coin with 18 decimals, and of one with 6.
    expect(linksOf({ coin: 'USDC', network: 'bnb' })).to.deep.equal({
      MetaMask: `https://link.metamask.io/send/${pegged}@56/transfer?address=0xa&uint256=10500000000000000000`,
      'Trust Wallet': `${TRUST}c20000714_t${pegged}&address=0xa&amount=10.50`,
    });
    expect(linksOf({ coin: 'USDC', network: 'base' })).to.deep.equal({
      MetaMask: `https://link.metamask.io/send/${native}@8453/transfer?address=0xa&uint256=10500000`,
      'Trust Wallet': `${TRUST}c8453_t${native}&address=0xa&amount=10.50`,
    });
    expect(linksOf({ coin: 'BTC', network: 'bitcoin' })).to.deep.equal({
      'Trust Wallet': `${TRUST}c0&address=0xa&amount=10.50`,
    });
    expect(linksOf({ coin: 'USDT', network: 'tron' })).to.deep.equal({
      'Trust Wallet': `${TRUST}c195_tTR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t&address=0xa&amount=10.50`,
    });
    expect(linksOf({ coin: 'SOL', network: 'solana' })).to.deep.equal({
      'Trust Wallet': `${TRUST}c501&address=0xa&amount=10.50`,
    });
  });

  it('never lead to a main network where the payment is a test', () => {
    for (const method of COINS_ON_NETWORKS) {
      const links = linksOf(method, SIMULATED_CHAINS);
      expect(Object.keys(links), method.network).to.deep.equal(
        NETWORKS[method.network].chainId === null ? [] : ['MetaMask'],
      );
      for (const url of Object.values(links))
        expect(url).to.match(/@(11155111|80002|84532|421614|11155420|97)[/?]/);
    }
  });
});

describe('the chains that a wallet can be taught', () => {
  it('are those of the EVM networks and of their test networks, with what EIP-3085 asks for', () => {
    expect(Object.keys(WALLET_CHAINS).toSorted()).to.deep.equal(
      [1, 10, 56, 97, 137, 8_453, 42_161, 80_002, 84_532, 421_614, 11_155_111, 11_155_420]
        .map((id) => `0x${id.toString(16)}`)
        .toSorted(),
    );
    expect(WALLET_CHAINS['0x89']).to.deep.equal({
      chainId: '0x89',
      chainName: 'Polygon',
      nativeCurrency: { name: 'Polygon Ecosystem Token', symbol: 'POL', decimals: 18 },
      rpcUrls: ['https://polygon-bor-rpc.publicnode.com'],
      blockExplorerUrls: ['https://polygonscan.com'],
    });
    for (const { rpcUrls } of Object.values(WALLET_CHAINS))
      for (const url of rpcUrls) expect(new URL(url).protocol).to.equal('https:');
  });
});
