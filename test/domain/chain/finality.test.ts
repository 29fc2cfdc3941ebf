import { expect } from 'chai';
import {
  blocksToFinal,
  dollarsOf,
  finalityFor,
  greatestDepth,
  requiredConfirmations,
} from '../../../src/domain/chain/finality.ts';
import { SIMULATED_RATES } from '../../../src/domain/chain/simulator/market.ts';

describe('what makes a transfer final', () => {
  const usdc = (amount: string) => ({ coin: 'USDC', amount }) as const;
  const eth = (amount: string) => ({ coin: 'ETH', amount }) as const;

  it('is a checkpoint of its network by its worth, where nothing else is configured', () => {
    const of = (...amounts: Parameters<typeof finalityFor>[1]) =>
      finalityFor('ethereum', amounts, SIMULATED_RATES, {});
    expect([of(usdc('999.99')), of(usdc('1000')), of(eth('0.3')), of(eth('0.5'))]).to.deep.equal([
      'safe',
      'finalized',
      'safe',
      'finalized',
    ]);
    expect(finalityFor('polygon', [usdc('1')], null, {})).to.equal('finalized');
    expect(finalityFor('tron', [usdc('1')], null, {})).to.equal(null);
    for (const network of ['base', 'arbitrum', 'optimism'] as const)
      expect(
        [usdc('999.99'), usdc('1000')].map((one) => finalityFor(network, [one], null, {})),
      ).to.deep.equal(['safe', 'finalized']);
    expect(finalityFor('bnb', [usdc('1')], null, {})).to.equal('finalized');
  });

  it('is so many blocks on Bitcoin, by worth, and the most where nobody knows it', () => {
    const btc = (amount: string) => [{ coin: 'BTC', amount }] as const;
    const of = (amount: string) => finalityFor('bitcoin', btc(amount), SIMULATED_RATES, {});
    // At 60,000 dollars each.
    expect(['0.008', '0.009', '0.08', '0.09'].map(of)).to.deep.equal(['1', '2', '2', '6']);
    expect(finalityFor('bitcoin', btc('0.001'), null, {})).to.equal('6');
    expect(requiredConfirmations('bitcoin', '1')).to.equal(1);
  });

  it('says of Bitcoin after how many blocks nothing changes any more: six, or what the largest wait for', () => {
    expect(greatestDepth('bitcoin', {})).to.equal(6);
    expect(greatestDepth('bitcoin', { bitcoin: [{ from: 0, by: 1 }] })).to.equal(6);
    expect(
      greatestDepth('bitcoin', {
        bitcoin: [
          { from: 0, by: 2 },
          { from: 100, by: 30 },
        ],
      }),
    ).to.equal(30);
  });

  it('follows the highest of several amounts: small transfers for a large price are no small ones', () => {
    expect(finalityFor('ethereum', [usdc('5000'), usdc('1')], null, {})).to.equal('finalized');
  });

  it('is the strictest rule where nobody knows what an amount is worth', () => {
    expect(finalityFor('ethereum', [usdc('1'), eth('0.001')], null, {})).to.equal('finalized');
    expect(dollarsOf(eth('1'), null)).to.equal(null);
  });

  it('is what CONFIRMATIONS_ says, depths as well', () => {
    const rules = {
      ethereum: [
        { from: 0, by: 3 },
        { from: 100, by: 12 },
        { from: 1_000, by: 'finalized' },
      ],
    } as const;
    const of = (amount: string) => finalityFor('ethereum', [usdc(amount)], null, rules);
    expect([of('99'), of('100'), of('1000')]).to.deep.equal(['3', '12', 'finalized']);
  });

  it('requires so many confirmations, or none where a checkpoint decides', () => {
    expect(requiredConfirmations('ethereum', null)).to.equal(12);
    expect(requiredConfirmations('ethereum', '3')).to.equal(3);
    expect(requiredConfirmations('ethereum', 'safe')).to.equal(null);
    expect(blocksToFinal('ethereum', 'finalized')).to.be.greaterThan(blocksToFinal('ethereum', 'safe'));
    expect(blocksToFinal('ethereum', null)).to.equal(12);
  });
});
