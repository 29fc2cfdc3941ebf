import { COIN_IDS } from '../../chain/coins.ts';
import { CURRENCY_IDS } from '../../chain/currencies.ts';
import type { NetworkId } from '../../chain/networks.ts';
import { realChains } from '../../chain/profile.ts';
import { RATES_KEY } from '../../chain/chain-key.ts';
import { fetchWithin } from '../../chain/rates/fetch-json.ts';
import { guardRate, SOURCES, type Reading } from '../../chain/rates/guard.ts';
import { readSite } from '../../chain/rates/refresh.ts';
import type { Readings } from '../../chain/rates/sources.ts';
import { marketCurrencies, readLastRates, readRates } from '../../chain/rates/store.ts';
import type { RateSourceName } from '../../../platform/config/config.ts';
import type { Context } from '../../../platform/context.ts';
import { messageOf } from '../../../platform/log.ts';
import { findLed } from '../../../platform/postgres/leadership.ts';
import { broken, missing, ok, REQUEST_SECONDS, type Check, type Verdict } from './finding.ts';

/** Whether the markets answer and agree, and whether somebody stores what they say. */
export function rateChecks(ctx: Context, networks: readonly NetworkId[]): Check[] {
  return [
    { name: 'rates', subject: 'markets', look: () => markets(ctx, networks) },
    { name: 'rates', subject: 'stored', look: () => stored(ctx, networks) },
  ];
}

/** The coins that live payments on these networks can be paid in. */
function coinsOn({ config }: Context, networks: readonly NetworkId[]) {
  const { contractOf } = realChains(config);
  return COIN_IDS.filter((coin) => networks.some((network) => contractOf(coin, network) !== undefined));
}

async function markets(ctx: Context, networks: readonly NetworkId[]): ReturnType<Check['look']> {
  const { rateSources, rateMaxAgeSeconds: maxAgeSeconds } = ctx.config;
  const read = await Promise.all(rateSources.map((name) => readMarket(ctx, name)));
  const last = await readLastRates(ctx.db, COIN_IDS);
  const refused = coinsOn(ctx, networks).flatMap((coin) => {
    const readings = read.flatMap(({ readings: one }): Reading[] =>
      one[coin] === undefined ? [] : [one[coin]],
    );
    const rate = guardRate(readings, { last: last.get(coin) ?? null, now: ctx.systemNow(), maxAgeSeconds });
    return 'refused' in rate ? [`${coin}: ${rate.refused}`] : [];
  });
  const agreed =
    refused.length === 0
      ? ok('enough of them agree on every coin')
      : broken(
          `they give no rate for ${refused.join('; ')}`,
          `RATE_SOURCES: at least ${SOURCES} that answer; until then these coins are taken at par alone`,
        );
  return [...read.map(({ name, verdict }) => ({ ...verdict, subject: name })), agreed];
}

async function readMarket(
  { config, systemNow }: Context,
  name: RateSourceName,
): Promise<{ name: string; verdict: Verdict; readings: Readings }> {
  try {
    const fetch = (url: string) => fetchWithin(url, REQUEST_SECONDS * 1_000);
    const readings = await readSite(config, name, systemNow(), fetch);
    const coins = Object.keys(readings);
    const verdict =
      coins.length > 0 ? ok(`it prices ${coins.join(', ')}`) : broken('it prices no coin', remedyOf(name));
    return { name, verdict, readings };
  } catch (error) {
    return { name, verdict: broken(messageOf(error), remedyOf(name)), readings: {} };
  }
}

const remedyOf = (name: string) =>
  `let this machine reach it by HTTPS, or take ${name} out of RATE_SOURCES; RATE_URL_${name.toUpperCase()} names a mirror`;

async function stored(ctx: Context, networks: readonly NetworkId[]): Promise<Verdict> {
  const { rateMaxAgeSeconds } = ctx.config;
  const [led] = await findLed(ctx.db, [RATES_KEY]);
  const fresh = await readRates(ctx.db, ctx.systemNow(), rateMaxAgeSeconds);
  const lacks = coinsOn(ctx, networks).filter((coin) => !fresh.has(coin));
  if (led === undefined) return missing('no watcher stores them', 'node dist/processes/watcher.js');
  const money = await marketCurrencies(rateMaxAgeSeconds)(ctx.db, ctx.systemNow());
  const unpriced = CURRENCY_IDS.filter((currency) => !money.has(currency));
  const prices = unpriced.length === 0 ? 'currency' : `currency but ${unpriced.join(', ')}`;
  return lacks.length === 0
    ? ok(`of the last ${rateMaxAgeSeconds} s, of every coin, and of every ${prices}`)
    : broken(
        `none of the last ${rateMaxAgeSeconds} s, or off its peg: ${lacks.join(', ')}`,
        'the log of the watcher says why; payments at par go on',
      );
}
