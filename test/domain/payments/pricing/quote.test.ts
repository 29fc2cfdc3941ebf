import { expect } from 'chai';
import { COINS_ON_NETWORKS, COIN_IDS, quoteUnit } from '../../../../src/domain/chain/coins.ts';
import { leftToSend, quote, sendable } from '../../../../src/domain/payments/pricing/quote.ts';
import { SIMULATED_RATES } from '../../../../src/domain/chain/simulator/market.ts';

const SCALE = 60;

/** Returns the decimal as a multiple of 10^-60: arithmetic independent of the code. */
function scaled(value: string): bigint {
  const [whole = '', fraction = ''] = value.split('.');
  return BigInt(whole + fraction.padEnd(SCALE, '0'));
}

describe('quote', () => {
  it('quotes the settlement coin itself as the merchant wrote it, at the rate 1', () => {
    const asked = { payCurrency: 'USDT', coin: 'USDT', network: 'tron' } as const;
    for (const missing of ['10.50', '10.500000', '0.000001', '999999999999999999'])
      expect(quote({ ...asked, missing }, SIMULATED_RATES)).to.deep.equal({
        coin: 'USDT',
        network: 'tron',
        asks: missing,
        rate: '1',
      });
  });

  it('rounds up to eight decimals, or to those of the coin when it has fewer', () => {
    const inCoin = (
      missing: string,
      coin: 'BTC' | 'SOL' | 'TRX' | 'ETH',
      network: 'bitcoin' | 'solana' | 'tron' | 'ethereum',
    ) => quote({ missing, payCurrency: 'USDT', coin, network }, SIMULATED_RATES);
    expect(inCoin('60000', 'BTC', 'bitcoin')).to.include({ asks: '1', rate: '60000' });
    expect(inCoin('10.50', 'BTC', 'bitcoin')).to.include({ asks: '0.000175', rate: '60000' });
    expect(inCoin('10', 'BTC', 'bitcoin').asks).to.equal('0.00016667');
    expect(inCoin('0.000000000000000001', 'BTC', 'bitcoin').asks).to.equal('0.00000001');
    expect(inCoin('10', 'SOL', 'solana').asks).to.equal('0.06666667');
    expect(inCoin('10', 'TRX', 'tron')).to.include({ asks: '40', rate: '0.25' });
    expect(inCoin('10', 'ETH', 'ethereum').asks).to.equal('0.00333334');
    expect(inCoin('999999999999999999.999999999999999999', 'TRX', 'tron').asks).to.equal(
      '4000000000000000000',
    );
  });

  it('returns the price of one coin in the pay currency, cut to 18 decimals', () => {
    expect(
      quote({ missing: '1', payCurrency: 'BTC', coin: 'ETH', network: 'ethereum' }, SIMULATED_RATES).rate,
    ).to.equal('0.05');
    expect(
      quote({ missing: '1', payCurrency: 'ETH', coin: 'BTC', network: 'bitcoin' }, SIMULATED_RATES).rate,
    ).to.equal('20');
    expect(
      quote({ missing: '1', payCurrency: 'BTC', coin: 'TRX', network: 'tron' }, SIMULATED_RATES).rate,
    ).to.equal('0.000004166666666666');
  });

  it('is never below the price, and less than one unit that can be sent above it, for every pair of coins', () => {
    const amounts = [
      '0.000000000000000001',
      '0.01',
      '10.50',
      '33.333333',
      '123456789012345678.123456789012345678',
    ];
    for (const payCurrency of COIN_IDS)
      for (const { coin, network } of COINS_ON_NETWORKS)
        for (const missing of amounts) {
          const { asks: amount } = quote({ missing, payCurrency, coin, network }, SIMULATED_RATES);
          const label = `${missing} ${payCurrency} in ${coin} on ${network}: ${amount}`;
          if (coin === payCurrency) {
            expect(amount, label).to.equal(sendable(missing, coin, network));
            continue;
          }
          expect(amount, label).to.match(/^(0|[1-9]\d*)(\.\d*[1-9])?$/);
          expect((amount.split('.')[1] ?? '').length, label).to.be.at.most(
            quoteUnit(coin, network).length - 2,
          );
          const price = scaled(missing) * scaled(SIMULATED_RATES[payCurrency]);
          const unit = scaled(quoteUnit(coin, network));
          expect(scaled(amount) * scaled(SIMULATED_RATES[coin]) >= price, label).to.equal(true);
          expect((scaled(amount) - unit) * scaled(SIMULATED_RATES[coin]) < price, label).to.equal(true);
        }
  });

  it('rejects a coin on a network where it does not exist', () => {
    expect(() =>
      quote({ missing: '1', payCurrency: 'USDT', coin: 'BTC', network: 'tron' }, SIMULATED_RATES),
    ).to.throw(RangeError);
    expect(() =>
      quote({ missing: '1', payCurrency: 'BTC', coin: 'BTC', network: 'tron' }, SIMULATED_RATES),
    ).to.throw(RangeError);
  });
});

describe('an amount to send', () => {
  it('stays as it is written while wallets can send it, and is rounded up otherwise', () => {
    expect(sendable('10.50', 'USDC', 'ethereum')).to.equal('10.50');
    expect(sendable('10.500000000', 'USDC', 'ethereum')).to.equal('10.500000000');
    expect(sendable('19.123456789', 'USDC', 'ethereum')).to.equal('19.123457');
    expect(sendable('1.000000001', 'DAI', 'ethereum')).to.equal('1.00000001');
  });

  it('is what the quote asks, or the rest of it at the rate of the quote', () => {
    const method = { coin: 'ETH', network: 'ethereum' } as const;
    const quoted = { asks: '0.00833334', covers: '25', rate: '3000' };
    expect(leftToSend(quoted, '25', method)).to.equal('0.00833334');
    expect(leftToSend(quoted, '12.5', method)).to.equal('0.00416667');
    const atPar = { asks: null, covers: null, rate: '1' };
    expect(leftToSend(atPar, '6', { coin: 'USDC', network: 'ethereum' })).to.equal('6');
  });
});
