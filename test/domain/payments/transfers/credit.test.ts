import { expect } from 'chai';
import { SIMULATED_RATES } from '../../../../src/domain/chain/simulator/market.ts';
import {
  availableCredit,
  coinsWorth,
  convertedCredit,
  creditOf,
  creditOfBottom,
  creditOfTop,
  heldOf,
  type CreditedTransfer,
  type LockedQuote,
} from '../../../../src/domain/payments/transfers/credit.ts';
import { add, compare, decimalPlaces, multiply, subtract } from '../../../../src/platform/values/money.ts';

const USDC = { pay_currency: 'USDC', pay_network: 'ethereum' } as const;
const BTC = { coin: 'BTC', network: 'bitcoin' } as const;
/** 10.50 USDC at 90,000, while the market is at 60,000. */
const QUOTE: LockedQuote = { asks: '0.00011667', covers: '10.5', rate: '90000' };

const credited = (amount: string, missing: string, quote: LockedQuote | null) =>
  creditOf(USDC, { ...BTC, amount, missing, quote }, () => SIMULATED_RATES);

describe('the credit of a new transfer', () => {
  it('is at par in the settlement coin, whatever is quoted or missing', () => {
    for (const amount of ['10.5', '0.000001', '999999999999999999'])
      for (const network of ['ethereum', 'polygon'] as const)
        expect(
          creditOf(
            USDC,
            { coin: 'USDC', network, amount, missing: '0', quote: QUOTE },
            () => SIMULATED_RATES,
          ),
        ).to.deep.equal({ credit: amount, locked_amount: '0', locked_credit: '0' });
  });

  it('is at par in whole units of the settlement coin, which has more decimals on another network', () => {
    const onBnb = (amount: string) =>
      creditOf(USDC, { coin: 'USDC', network: 'bnb', amount, missing: '10.5', quote: null }, () => ({}));
    expect(onBnb('10.5').credit).to.equal('10.5');
    expect(onBnb('10.500000999999999999').credit).to.equal('10.5');
    expect(onBnb('0.000000999999999999').credit).to.equal('0');
    const there = { pay_currency: 'USDC', pay_network: 'bnb' } as const;
    const amount = '10.500000999999999999';
    const sent = { coin: 'USDC', network: 'bnb', amount, missing: '10.5', quote: null } as const;
    expect(creditOf(there, sent, () => ({})).credit).to.equal(amount);
  });

  it('is the market’s without a locked quote, rounded down to the settlement coin’s decimals', () => {
    expect(credited('0.00000001', '10.5', null)).to.include({ credit: '0.0006', locked_amount: '0' });
    const rates = { ...SIMULATED_RATES, BTC: '59999.999999' };
    expect(
      creditOf(USDC, { ...BTC, amount: '0.00000001', missing: '10.5', quote: null }, () => rates).credit,
    ).to.equal('0.000599');
  });

  it('of the whole rest that a quote asks is the whole rest that it covers, although it was rounded up', () => {
    expect(credited('0.00011667', '10.5', QUOTE)).to.deep.equal({
      credit: '10.5',
      locked_amount: '0.00011667',
      locked_credit: '10.5',
    });
  });

  it('of a part is at the locked rate', () => {
    expect(credited('0.0001', '10.5', QUOTE)).to.deep.equal({
      credit: '9',
      locked_amount: '0.0001',
      locked_credit: '9',
    });
  });

  it('above what the quote asks is at the market: a locked rate is no option on any amount', () => {
    expect(credited('1.00011667', '10.5', QUOTE)).to.deep.equal({
      credit: '60010.5',
      locked_amount: '0.00011667',
      locked_credit: '10.5',
    });
  });

  it('is locked no further than the payment misses, when another coin has paid a part', () => {
    // 4.50 at 90,000 are 0.00005; 0.00006667 more are worth 4.0002 at the market.
    expect(credited('0.00011667', '4.5', QUOTE)).to.deep.equal({
      credit: '8.5002',
      locked_amount: '0.00005',
      locked_credit: '4.5',
    });
  });

  it('is the market’s when nothing is missing, or the quote asks nothing any more', () => {
    for (const [missing, quote] of [
      ['0', QUOTE],
      ['10.5', { ...QUOTE, asks: '0', covers: '0' }],
      ['10.5', { ...QUOTE, asks: '-0.00000001', covers: '-0.0009' }],
    ] as const)
      expect(credited('0.0001', missing, quote)).to.include({ credit: '6', locked_amount: '0' });
  });
});

/** Transfers with a locked and a market part, with one of them, and at par. */
const TRANSFERS: readonly CreditedTransfer[] = (
  [
    ['0.00031667', '22.5', '0.00011667', '10.5'],
    ['0.00011667', '10.5', '0.00011667', '10.5'],
    ['0.00033333', '19.9998', '0', '0'],
    ['12.345678', '12.345678', '0', '0'],
    ['3', '1', '2', '0.1'],
  ] as const
).map(([amount, credit, locked_amount, locked_credit]) => ({
  amount,
  credit,
  ...USDC,
  locked_amount,
  locked_credit,
  converted: '0',
  returned: '0',
}));

describe('the coins of a transfer', () => {
  for (const transfer of TRANSFERS) {
    const { amount, credit, locked_amount, locked_credit } = transfer;
    const shares = Array.from({ length: 21 }, (_, i) => multiply(amount, String(i / 20)));
    const label = `${amount} for ${credit}, ${locked_amount} of them locked for ${locked_credit}`;

    it(`have the credits of their parts: nothing, the locked part, everything (${label})`, () => {
      expect(creditOfBottom(transfer, '0')).to.equal('0');
      expect(compare(creditOfBottom(transfer, locked_amount), locked_credit)).to.equal(0);
      expect(creditOfBottom(transfer, amount)).to.equal(credit);
      expect(creditOfBottom(transfer, add(amount, '1'))).to.equal(credit);
    });

    it(`have credits that sum up to that of the whole, and never decrease (${label})`, () => {
      let before = '0';
      for (const coins of shares) {
        const bottom = creditOfBottom(transfer, coins);
        expect(compare(bottom, before), coins).to.not.equal(-1);
        before = bottom;
        const rest = creditOfTop(transfer, subtract(amount, coins));
        expect(compare(add(bottom, rest), credit), coins).to.equal(0);
        // A refund of the rest leaves the credit of the bottom.
        const after = { ...transfer, returned: subtract(amount, coins) };
        expect(availableCredit(after), coins).to.equal(bottom);
      }
    });

    it(`are found by their credit: the fewest coins that are worth it (${label})`, () => {
      const decimals = Math.max(8, decimalPlaces(amount));
      const unit = `0.${'0'.repeat(decimals - 1)}1`;
      for (const share of shares) {
        const asked = creditOfBottom(transfer, share);
        const coins = coinsWorth(transfer, asked, decimals);
        expect(decimalPlaces(coins), 'whole units').to.be.at.most(decimals);
        expect(compare(creditOfBottom(transfer, coins), asked), `${coins} for ${asked}`).to.not.equal(-1);
        if (compare(coins, unit) <= 0) continue;
        const fewer = subtract(subtract(coins, unit), unit);
        expect(compare(creditOfBottom(transfer, fewer), asked), `fewer than ${coins}`).to.equal(-1);
      }
    });
  }

  it('are held until they are committed: conversions from the bottom, refunds from the top', () => {
    const [transfer] = TRANSFERS;
    if (transfer === undefined) throw new Error('there is no transfer');
    const moved = { ...transfer, converted: '0.00011667', returned: '0.0001' };
    expect(heldOf(moved)).to.equal('0.0001');
    expect(convertedCredit(moved)).to.equal('10.5');
    expect(availableCredit(moved)).to.equal('16.5');
    expect(heldOf({ ...transfer, converted: transfer.amount })).to.equal('0');
  });
});
