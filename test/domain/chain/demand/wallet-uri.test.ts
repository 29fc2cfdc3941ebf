import { expect } from 'chai';
import { COINS_ON_NETWORKS, tokenContract } from '../../../../src/domain/chain/coins.ts';
import { realChains, SIMULATED_CHAINS } from '../../../../src/domain/chain/profile.ts';
import { walletUri, type Demand } from '../../../../src/domain/chain/demand/wallet-uri.ts';

const MAINNET = realChains({ chainProfile: 'mainnet', testnetTokens: {} });

const DEMANDS: [string, Omit<Demand, 'chains'>, string][] = [
  [
    'BIP-21 for Bitcoin',
    { coin: 'BTC', network: 'bitcoin', address: 'bc1qx', amount: '0.00017500' },
    'bitcoin:bc1qx?amount=0.00017500',
  ],
  [
    "EIP-681 for a network's own coin, in its smallest unit",
    { coin: 'ETH', network: 'ethereum', address: '0xa', amount: '0.0042' },
    'ethereum:0xa@1?value=4200000000000000',
  ],
  [
    'the same on Polygon, with its chain',
    { coin: 'POL', network: 'polygon', address: '0xa', amount: '12' },
    'ethereum:0xa@137?value=12000000000000000000',
  ],
  [
    "EIP-681 for a token, at the token's contract",
    { coin: 'USDC', network: 'polygon', address: '0xa', amount: '10.50' },
    'ethereum:0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359@137/transfer?address=0xa&uint256=10500000',
  ],
  [
    'Solana Pay, in whole coins',
    { coin: 'SOL', network: 'solana', address: 'So1', amount: '0.05' },
    'solana:So1?amount=0.05',
  ],
  [
    'Solana Pay for a token',
    { coin: 'USDC', network: 'solana', address: 'So1', amount: '10.50' },
    'solana:So1?amount=10.50&spl-token=EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  ],
  [
    'address and amount for TRX',
    { coin: 'TRX', network: 'tron', address: 'T1', amount: '30' },
    'tron:T1?amount=30',
  ],
  [
    'the address alone for a token on Tron, where an amount would be taken for TRX',
    { coin: 'USDT', network: 'tron', address: 'T1', amount: '10.50' },
    'tron:T1',
  ],
];

/** Those of simulated payments: no wallet of a main network pays them. */
const SIMULATED: [string, Omit<Demand, 'chains'>, string | RegExp | null][] = [
  [
    "BIP-21 with the test network's address",
    { coin: 'BTC', network: 'bitcoin', address: 'tb1qx', amount: '0.00017500' },
    'bitcoin:tb1qx?amount=0.00017500',
  ],
  [
    'EIP-681 on Sepolia',
    { coin: 'ETH', network: 'ethereum', address: '0xa', amount: '0.0042' },
    'ethereum:0xa@11155111?value=4200000000000000',
  ],
  [
    'EIP-681 on Amoy',
    { coin: 'POL', network: 'polygon', address: '0xa', amount: '12' },
    'ethereum:0xa@80002?value=12000000000000000000',
  ],
  [
    'EIP-681 for a token without the contract of the main network',
    { coin: 'USDC', network: 'polygon', address: '0xa', amount: '10.50' },
    /^ethereum:0x[0-9a-f]{40}@80002\/transfer\?address=0xa&uint256=10500000$/,
  ],
  [
    'Solana Pay for a token without its mint',
    { coin: 'USDC', network: 'solana', address: 'So1', amount: '10.50' },
    /^solana:So1\?amount=10\.50&spl-token=[1-9A-HJ-NP-Za-km-z]{43,44}$/,
  ],
  [
    'none for SOL, which a wallet would send on the main cluster',
    { coin: 'SOL', network: 'solana', address: 'So1', amount: '0.05' },
    null,
  ],
  [
    'address and amount for TRX, with an address that wallets refuse',
    { coin: 'TRX', network: 'tron', address: '27x', amount: '30' },
    'tron:27x?amount=30',
  ],
  [
    'the address alone for a token on Tron',
    { coin: 'USDT', network: 'tron', address: '27x', amount: '1' },
    'tron:27x',
  ],
];

describe('wallet URIs', () => {
  for (const [name, demand, expected] of SIMULATED)
    it(`of simulated payments are ${name}`, () => {
      const uri = walletUri({ ...demand, chains: SIMULATED_CHAINS });
      if (expected instanceof RegExp) expect(uri).to.match(expected);
      else expect(uri).to.equal(expected);
    });

  it('of simulated payments never name the contract of a token', () => {
    for (const { coin, network } of COINS_ON_NETWORKS) {
      const contract = tokenContract(coin, network);
      const uri = walletUri({ coin, network, address: 'a', amount: '1', chains: SIMULATED_CHAINS });
      if (contract !== null) expect(uri?.toLowerCase()).to.not.include(contract.toLowerCase());
    }
  });

  it('say who is paid and what for, in BIP-21 and Solana Pay, as far as a code has room', () => {
    const described = {
      address: 'a',
      amount: '1',
      chains: MAINNET,
      label: 'Café & Söhne',
      message: 'Two\u202e\nshirts',
    };
    const said = '&label=Caf%C3%A9%20%26%20S%C3%B6hne&message=Two%20shirts';
    expect(walletUri({ ...described, coin: 'BTC', network: 'bitcoin' })).to.equal(
      `bitcoin:a?amount=1${said}`,
    );
    expect(walletUri({ ...described, coin: 'SOL', network: 'solana' })).to.equal(`solana:a?amount=1${said}`);
    for (const coin of ['ETH', 'TRX'] as const) {
      const uri = walletUri({ ...described, coin, network: coin === 'ETH' ? 'ethereum' : 'tron' });
      expect(uri).to.not.include('label').and.not.include('shirts');
    }
    const long = { label: '店'.repeat(1_000), message: '&amount=9'.repeat(1_000) };
    const address = 'S'.repeat(44);
    const uri = walletUri({ ...described, ...long, address, coin: 'USDC', network: 'solana' }) ?? '';
    expect(uri.length).to.be.within(200, 271);
    const query = new URLSearchParams(uri.slice(uri.indexOf('?')));
    expect([query.getAll('amount'), query.get('label')]).to.deep.equal([['1'], '店'.repeat(8)]);
    expect(query.get('message')).to.match(/^(&amount=9)+/);
  });

  for (const [name, demand, uri] of DEMANDS)
    it(`are ${name}`, () => {
      expect(walletUri({ ...demand, chains: MAINNET })).to.equal(uri);
    });
});
