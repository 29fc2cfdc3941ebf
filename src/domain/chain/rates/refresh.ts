import type { Config, RateSourceName } from '../../../platform/config/config.ts';
import type { Context } from '../../../platform/context.ts';
import { messageOf } from '../../../platform/log.ts';
import { COIN_IDS, isCoin } from '../coins.ts';
import { RATED_CURRENCIES } from '../currencies.ts';
import { isBounded, NO_BOUNDS, type BoundsAt } from './chainlink.ts';
import { CURRENCY_SITES } from './currency-sources.ts';
import { fetchJson } from './fetch-json.ts';
import { guardRate, type Reading } from './guard.ts';
import type { Rate, RatedId } from './rates.ts';
import { RATE_SITES, type Readings } from './sources.ts';
import { readLastRates, storeRates } from './store.ts';

/** The sources to read, with their base URLs, and how old a price may be. */
export type RateConfig = Pick<Config, 'rateSources' | 'rateUrls' | 'rateMaxAgeSeconds'>;

const RATED: readonly RatedId[] = [...COIN_IDS, ...RATED_CURRENCIES];

/**
 * Reads every source once, and stores the rate of each coin and currency on which enough of them agree. One
 * without keeps its last, which ages until it is used no more; so does a coin whose rate is far from its
 * bound. Must be called outside any transaction.
 */
export async function refreshRatesOnce(
  ctx: Pick<Context, 'db' | 'log' | 'systemNow'>,
  config: RateConfig,
  boundsAt: BoundsAt = NO_BOUNDS,
) {
  const last = await readLastRates(ctx.db, RATED);
  const read = await Promise.all(config.rateSources.map((name) => readSource(ctx, config, name)));
  const bounds = await boundsAt(ctx.systemNow());
  const now = ctx.systemNow();
  const fresh = new Map<RatedId, Rate>();
  const refused: string[] = [];
  for (const id of RATED) {
    const readings = read.map((one) => one[id]).filter((one): one is Reading => one !== undefined);
    const guard = { last: last.get(id) ?? null, now, maxAgeSeconds: config.rateMaxAgeSeconds };
    const rate = guardRate(readings, guard);
    const bound = isCoin(id) ? bounds[id] : undefined;
    if ('refused' in rate) refused.push(`${id}: ${rate.refused}`);
    else if (isBounded(rate.usd, bound)) fresh.set(id, rate);
    else refused.push(`${id}: ${rate.usd} is far from Chainlink's ${bound}`);
  }
  if (refused.length > 0)
    ctx.log.warn('no new rate for some: without one they are not quoted once the last is too old', {
      reason: refused.join('; '),
    });
  await storeRates(ctx.db, fresh);
  return fresh;
}

/** Reads a source's coins now; `fetch` says how long it may take. Throws RateSourceError. */
export async function readSite(
  { rateUrls }: Pick<RateConfig, 'rateUrls'>,
  name: RateSourceName,
  now: Date,
  fetch = fetchJson,
): Promise<Readings> {
  const site = RATE_SITES[name];
  return site.read(fetch, rateUrls[name] ?? site.url, now);
}

/** Coins and currencies each: what can be read of one is used without the other. */
async function readSource(
  ctx: Pick<Context, 'log' | 'systemNow'>,
  config: RateConfig,
  name: RateSourceName,
): Promise<Readings> {
  const now = ctx.systemNow();
  const site = CURRENCY_SITES[name];
  const [coins, currencies] = await Promise.all([
    orNone(ctx, name, readSite(config, name, now)),
    orNone(ctx, name, site.read(fetchJson, config.rateUrls[name] ?? site.url, now)),
  ]);
  return { ...coins, ...currencies };
}

async function orNone(
  { log }: Pick<Context, 'log'>,
  source: RateSourceName,
  read: Promise<Readings>,
): Promise<Readings> {
  try {
    return await read;
  } catch (error) {
    log.warn('a source of rates cannot be read', { source, error: messageOf(error) });
    return {};
  }
}
