import { expect } from 'chai';
import { refreshRatesOnce, type RateConfig } from '../../../../src/domain/chain/rates/refresh.ts';
import { watchRatesOnce } from '../../../../src/domain/chain/rates/watch-rates.ts';
import { marketCurrencies, readRates } from '../../../../src/domain/chain/rates/store.ts';
import { addSeconds } from '../../../../src/platform/clock.ts';
import { createHarness, type Harness } from '../../../support/harness.ts';
import { serveRates, type ServedRates } from '../../../support/rate-sites.ts';

describe('the rates of the market', () => {
  let harness: Harness;
  let served: ServedRates;
  beforeEach(async () => {
    harness = await createHarness();
    served = await serveRates(harness.ctx.systemNow());
  });
  afterEach(async () => {
    await served.close();
    await harness.close();
  });

  const config = (): RateConfig => ({
    rateSources: ['kraken', 'coinbase', 'coingecko'],
    rateUrls: served.urls,
    rateMaxAgeSeconds: 120,
  });
  const refresh = async () => {
    await refreshRatesOnce(harness.ctx, config());
    return quoted();
  };
  const quoted = async (afterSeconds = 0) => {
    const rates = await readRates(harness.ctx.db, addSeconds(harness.ctx.systemNow(), afterSeconds), 120);
    return Object.fromEntries([...rates].map(([coin, { usd }]) => [coin, Number(usd)]));
  };
  const ALL = { BTC: 60_000, ETH: 3_000, USDT: 1, USDC: 1, TRX: 0.25, SOL: 150, POL: 0.4, DAI: 1, BNB: 600 };

  it('are read from three sources, each coin from those that list it', async () => {
    expect(await refresh()).to.deep.equal(ALL);
    const rates = await readRates(harness.ctx.db, harness.ctx.systemNow(), 120);
    expect(rates.get('ETH')?.sources).to.deep.equal(['kraken', 'coinbase', 'coingecko']);
    expect(rates.get('USDC')?.sources).to.deep.equal(['kraken', 'coingecko']);
  });

  it('go on while one source is stale, 20 % off, away, or speaks nonsense', async () => {
    served.prices.coingecko.ETH = 3_600;
    expect(await refresh()).to.deep.equal(ALL);
    for (const fault of [500, '<html>', '{}', '{"result":{"XXBTZUSD":{"a":["x"]}}}', 'null', '[]'] as const) {
      served.broken = { coinbase: fault };
      expect(await refresh(), String(fault)).to.deep.equal(ALL);
    }
  });

  it('keep the last while only one source is left, and are none when that is too old', async () => {
    await refresh();
    served.broken = { kraken: 503, coinbase: 429 };
    expect(await refresh()).to.deep.equal(ALL);
    expect(await quoted(121)).to.deep.equal({});
  });

  it('do not exist where all sources are away', async () => {
    served.broken = { kraken: 503, coinbase: 503, coingecko: 503 };
    expect(await refresh()).to.deep.equal({});
  });

  describe('of currencies', () => {
    const money = async (afterSeconds = 0) => {
      const now = addSeconds(harness.ctx.systemNow(), afterSeconds);
      return marketCurrencies(120)(harness.ctx.db, now);
    };
    const dollars = async () =>
      Object.fromEntries([...(await money())].map(([id, { usd }]) => [id, Number(Number(usd).toFixed(6))]));
    const WORTH = { USD: 1, EUR: 1.14, GBP: 1.33, JPY: 0.0066, SEK: 0.105, KWD: 3.25 };

    it('are read from the same sources, in the one table, and leave the market of coins as it is', async () => {
      expect(await refresh()).to.deep.equal(ALL);
      expect(await dollars()).to.deep.equal(WORTH);
      const rates = await money();
      expect(rates.get('EUR')?.sources).to.deep.equal(['kraken', 'coinbase', 'coingecko']);
      expect(rates.get('JPY')?.sources).to.deep.equal(['kraken', 'coinbase', 'coingecko']);
      expect(rates.get('SEK')?.sources).to.deep.equal(['coinbase', 'coingecko']);
      expect([...(await money(121)).keys()]).to.deep.equal(['USD']);
    });

    it('need two that agree: one alone, or two that are apart, give none', async () => {
      served.currencies.coingecko.SEK = 0.2;
      delete served.currencies.coinbase.KWD;
      served.currencies.coingecko.EUR = 2;
      await refresh();
      const { SEK, KWD, ...others } = WORTH;
      expect([SEK, KWD]).to.not.include(undefined);
      expect(await dollars()).to.deep.equal(others);
    });

    it('that cannot be read leave the coins, and speak no nonsense', async () => {
      for (const worth of [0, -1, Number.NaN, 1e-30]) {
        for (const site of Object.values(served.currencies))
          for (const currency of Object.keys(site)) site[currency] = worth;
        expect(await refresh(), String(worth)).to.deep.equal(ALL);
        expect(await dollars(), String(worth)).to.deep.equal({ USD: 1 });
      }
    });
  });

  it('have none for a stablecoin that lost its peg, and go on for the others', async () => {
    for (const prices of Object.values(served.prices)) prices.USDT = 0.95;
    const { USDT, ...others } = ALL;
    expect(USDT).to.equal(1);
    expect(await refresh()).to.deep.equal(others);
  });

  it('are refreshed by the watcher that leads, and by no other', async () => {
    let leads = false;
    const watch = () => watchRatesOnce(harness.ctx, config(), { hold: () => Promise.resolve(leads) });
    await watch();
    expect(await quoted()).to.deep.equal({});
    leads = true;
    await watch();
    expect(await quoted()).to.deep.equal(ALL);
  });

  it('do not take a response without end', async () => {
    served.broken = { coingecko: `"${'x'.repeat(300_000)}"` };
    const { TRX, USDC, BNB, ...others } = ALL;
    expect([TRX, USDC, BNB]).to.deep.equal([0.25, 1, 600]);
    expect(await refresh()).to.deep.equal(others);
  });
});
