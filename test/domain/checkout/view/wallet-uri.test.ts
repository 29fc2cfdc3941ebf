import { expect } from 'chai';
import { payable, walletUri, type Demand } from '../../../../src/domain/checkout/view/wallet-uri.ts';

const DEMANDS: [string, Demand, string][] = [
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

describe('wallet URIs', () => {
  for (const [name, demand, uri] of DEMANDS)
    it(`are ${name}`, () => {
      expect(walletUri(demand)).to.equal(uri);
    });

  it('ask for no more decimals than can be sent, rounded up', () => {
    expect(payable('10.1234561', 'USDC', 'ethereum')).to.equal('10.123457');
    expect(payable('10.50', 'USDC', 'ethereum')).to.equal('10.50');
  });
});
