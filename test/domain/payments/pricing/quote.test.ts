import { expect } from 'chai';
import { COINS_ON_NETWORKS, COIN_IDS, decimalsOf } from '../../../../src/domain/chain/coins.ts';
import { quote, valueOf } from '../../../../src/domain/payments/pricing/quote.ts';
import { SIMULATED_RATES } from '../../../../src/domain/chain/simulator/simulated.ts';

const SCALE = 60;

/** Returns the decimal as a multiple of 10^-60: arithmetic independent of the code. */
function scaled(value: string): bigint {
  const [whole = '', fraction = ''] = value.split('.');
  return BigInt(whole + fraction.padEnd(SCALE, '0'));
}

describe('quote', () => {
  it('quotes the settlement coin itself as the merchant wrote it, at the rate 1', () => {
    const asked = { payCurrency: 'USDT', coin: 'USDT', network: 'tron' } as const;
    for (const payAmount of ['10.50', '10.500000000000000000', '0.0000001', '999999999999999999'])
      expect(quote({ ...asked, payAmount }, SIMULATED_RATES)).to.deep.equal({
        coin: 'USDT',
        network: 'tron',
        amount: payAmount,
        rate: '1',
      });
  });

  it('rounds up to the decimals that the coin has on its network', () => {
    const inCoin = (
      payAmount: string,
      coin: 'BTC' | 'SOL' | 'TRX' | 'ETH',
      network: 'bitcoin' | 'solana' | 'tron' | 'ethereum',
    ) => quote({ payAmount, payCurrency: 'USDT', coin, network }, SIMULATED_RATES);
    expect(inCoin('60000', 'BTC', 'bitcoin')).to.include({ amount: '1', rate: '60000' });
    expect(inCoin('10.50', 'BTC', 'bitcoin')).to.include({ amount: '0.000175', rate: '60000' });
    expect(inCoin('10', 'BTC', 'bitcoin').amount).to.equal('0.00016667');
    expect(inCoin('0.000000000000000001', 'BTC', 'bitcoin').amount).to.equal('0.00000001');
    expect(inCoin('10', 'SOL', 'solana').amount).to.equal('0.066666667');
    expect(inCoin('10', 'TRX', 'tron')).to.include({ amount: '40', rate: '0.25' });
    expect(inCoin('10', 'ETH', 'ethereum').amount).to.equal('0.003333333333333334');
    expect(inCoin('999999999999999999.999999999999999999', 'TRX', 'tron').amount).to.equal(
      '4000000000000000000',
    );
  });

  it('returns the price of one coin in the pay currency, cut to 18 decimals', () => {
    expect(
      quote({ payAmount: '1', payCurrency: 'BTC', coin: 'ETH', network: 'ethereum' }, SIMULATED_RATES).rate,
    ).to.equal('0.05');
    expect(
      quote({ payAmount: '1', payCurrency: 'ETH', coin: 'BTC', network: 'bitcoin' }, SIMULATED_RATES).rate,
    ).to.equal('20');
    expect(
      quote({ payAmount: '1', payCurrency: 'BTC', coin: 'TRX', network: 'tron' }, SIMULATED_RATES).rate,
    ).to.equal('0.000004166666666666');
  });

  it('is never below the price, and less than one smallest unit above it, for every pair of coins', () => {
    const amounts = [
      '0.000000000000000001',
      '0.01',
      '10.50',
      '33.333333',
      '123456789012345678.123456789012345678',
    ];
    for (const payCurrency of COIN_IDS)
      for (const { coin, network } of COINS_ON_NETWORKS)
        for (const payAmount of amounts) {
          const { amount } = quote({ payAmount, payCurrency, coin, network }, SIMULATED_RATES);
          const label = `${payAmount} ${payCurrency} in ${coin} on ${network}: ${amount}`;
          if (coin === payCurrency) {
            expect(amount, label).to.equal(payAmount);
            continue;
          }
          expect(amount, label).to.match(/^(0|[1-9]\d*)(\.\d*[1-9])?$/);
          expect((amount.split('.')[1] ?? '').length, label).to.be.at.most(decimalsOf(coin, network));
          const price = scaled(payAmount) * scaled(SIMULATED_RATES[payCurrency]);
          const unit = 10n ** BigInt(SCALE - decimalsOf(coin, network));
          expect(scaled(amount) * scaled(SIMULATED_RATES[coin]) >= price, label).to.equal(true);
          expect((scaled(amount) - unit) * scaled(SIMULATED_RATES[coin]) < price, label).to.equal(true);
        }
  });

  it('rejects a coin on a network where it does not exist', () => {
    expect(() =>
      quote({ payAmount: '1', payCurrency: 'USDT', coin: 'BTC', network: 'tron' }, SIMULATED_RATES),
    ).to.throw(RangeError);
    expect(() =>
      quote({ payAmount: '1', payCurrency: 'BTC', coin: 'BTC', network: 'tron' }, SIMULATED_RATES),
    ).to.throw(RangeError);
  });
});

describe('the value of received coins', () => {
  it('is the pay amount, as it was written, for exactly the quoted amount, whatever rounding the quote took', () => {
    for (const payAmount of ['10.50', '0.000000000000000001', '123456789012345678.123456789012345678'])
      for (const { coin, network } of COINS_ON_NETWORKS) {
        const { amount } = quote({ payAmount, payCurrency: 'BTC', coin, network }, SIMULATED_RATES);
        expect(valueOf({ received: amount, quotedAmount: amount, payAmount }), `${coin} ${network}`).to.equal(
          payAmount,
        );
        expect(
          valueOf({
            received: `${amount}${amount.includes('.') ? '' : '.'}00`,
            quotedAmount: amount,
            payAmount,
          }),
        ).to.equal(payAmount);
      }
  });

  it('is the same share of the pay amount, rounded down to 18 decimals', () => {
    expect(valueOf({ received: '5', quotedAmount: '10.50', payAmount: '10.50' })).to.equal('5');
    expect(valueOf({ received: '0.00008', quotedAmount: '0.00016667', payAmount: '10' })).to.equal(
      '4.7999040019199616',
    );
  });

  it('is more than the pay amount for more than the quoted amount, and zero for nothing', () => {
    expect(valueOf({ received: '21', quotedAmount: '10.50', payAmount: '10.50' })).to.equal('21');
    expect(valueOf({ received: '0', quotedAmount: '10.50', payAmount: '10.50' })).to.equal('0');
  });

  it('stays below the pay amount while a smallest unit is missing', () => {
    expect(valueOf({ received: '2', quotedAmount: '3', payAmount: '1' })).to.equal('0.666666666666666666');
  });
});
