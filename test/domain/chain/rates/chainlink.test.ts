import { expect } from 'chai';
import { EvmClient } from '../../../../src/domain/chain/evm/client.ts';
import { chainlinkBounds } from '../../../../src/domain/chain/rates/chainlink.ts';
import { refreshRatesOnce } from '../../../../src/domain/chain/rates/refresh.ts';
import { readRates } from '../../../../src/domain/chain/rates/store.ts';
import { wordOf } from '../../../support/anvil.ts';
import { useEvmStand } from '../../../support/evm-stand.ts';
import { BEGIN, createHarness, type Harness } from '../../../support/harness.ts';
import { serveRates, type ServedRates } from '../../../support/rate-sites.ts';

const ETH_FEED = '0x5f4eC3Df9cbd43714FE2740f5E3616155c5b8419';

/** Returns five words whatever it is asked, but for another function than latestRoundData(). */
const roundOf = (words: readonly bigint[]): string =>
  `0x60003560e01c63feaf968c14601357600080fd5b${words
    .map((word, i) => `7f${wordOf(word).slice(2)}60${(32 * i).toString(16).padStart(2, '0')}52`)
    .join('')}60a06000f3`;

describe("Chainlink's feeds", () => {
  const standOf = useEvmStand(BEGIN);
  let harness: Harness;
  let served: ServedRates;
  let client: EvmClient;
  beforeEach(async () => {
    harness = await createHarness();
    served = await serveRates(harness.ctx.systemNow());
    const finality = { hasCheckpoints: true, depth: 2 };
    const urls = [standOf().anvil.url];
    client = new EvmClient({ network: 'ethereum', chainId: 1, urls, finality }, harness.ctx.now);
  });
  afterEach(async () => {
    await client.close();
    await served.close();
    await harness.close();
  });

  /** Whether ETH, at 3,000 dollars in all sources, has a rate beside this round. */
  const hasRate = async (answer: bigint, ageSeconds = 60) => {
    const updatedAt = BigInt(Math.floor(harness.ctx.systemNow().getTime() / 1000) - ageSeconds);
    await standOf().rpc('anvil_setCode', ETH_FEED, roundOf([1n, answer, updatedAt, updatedAt, 1n]));
    await harness.ctx.db('rates').del();
    const config = {
      rateSources: ['kraken', 'coinbase', 'coingecko'],
      rateUrls: served.urls,
      rateMaxAgeSeconds: 120,
    } as const;
    const bounds = chainlinkBounds((to, data) => client.call(to, data));
    await refreshRatesOnce(harness.ctx, { ...config, rateSources: [...config.rateSources] }, bounds);
    const rates = await readRates(harness.ctx.db, harness.ctx.systemNow(), 120);
    expect(rates.has('BTC'), 'a coin whose feed is not there').to.equal(true);
    return rates.has('ETH');
  };
  const dollars = (whole: number) => BigInt(whole) * 100_000_000n;

  it('bound the rates: none that is more than 5 % away is stored', async () => {
    expect(await hasRate(dollars(3_000))).to.equal(true);
    expect(await hasRate(dollars(2_860))).to.equal(true);
    expect(await hasRate(dollars(2_850))).to.equal(false);
    expect(await hasRate(dollars(3_200))).to.equal(false);
  });

  it('bound nothing where they are too old, negative or nonsense', async () => {
    expect(await hasRate(dollars(2_000), 26 * 3_600)).to.equal(true);
    expect(await hasRate((1n << 256n) - 1n)).to.equal(true);
    await standOf().rpc('anvil_setCode', ETH_FEED, '0x60006000f3');
    expect(await hasRate(0n)).to.equal(true);
  });
});
