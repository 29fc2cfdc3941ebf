import type { Config, RateSourceName } from '../../../platform/config/config.ts';
import type { Context } from '../../../platform/context.ts';
import { messageOf } from '../../../platform/log.ts';
import { COIN_IDS, type CoinId } from '../coins.ts';
import { isBounded, NO_BOUNDS, type BoundsAt } from './chainlink.ts';
import { fetchJson } from './fetch-json.ts';
import { guardRate, type Reading } from './guard.ts';
import type { Rate } from './rates.ts';
import { RATE_SITES, type Readings } from './sources.ts';
import { readLastRates, storeRates } from './store.ts';

/** The sources to read, with their base URLs, and how old a price may be. */
export type RateConfig = Pick<Config, 'rateSources' | 'rateUrls' | 'rateMaxAgeSeconds'>;

/**
 * Reads every source once, and stores the rate of each coin on which enough of them agree. A coin without one
 * keeps its last, which ages until it is quoted no more; so does one whose rate is far from its bound. Must
 * be called outside any transaction.
 */
export async function refreshRatesOnce(
  ctx: Pick<Context, 'db' | 'log' | 'systemNow'>,
  config: RateConfig,
  boundsAt: BoundsAt = NO_BOUNDS,
) {
  const last = await readLastRates(ctx.db);
  const read = await Promise.all(config.rateSources.map((name) => readSource(ctx, config, name)));
  const bounds = await boundsAt(ctx.systemNow());
  const now = ctx.systemNow();
  const fresh = new Map<CoinId, Rate>();
  for (const coin of COIN_IDS) {
    const readings = read.map((one) => one[coin]).filter((one): one is Reading => one !== undefined);
    const rate = guardRate(readings, {
      last: last.get(coin) ?? null,
      now,
      maxAgeSeconds: config.rateMaxAgeSeconds,
    });
    if ('refused' in rate)
      ctx.log.warn('no rate for a coin: it is not quoted once the last is too old', {
        coin,
        reason: rate.refused,
      });
    else if (!isBounded(rate.usd, bounds[coin]))
      ctx.log.warn('no rate for a coin: Chainlink is far from it', {
        coin,
        usd: rate.usd,
        chainlink: bounds[coin],
      });
    else fresh.set(coin, rate);
  }
  await storeRates(ctx.db, fresh);
  return fresh;
}

/** Reads a source now; `fetch` says how long it may take. Throws RateSourceError. */
export async function readSite(
  { rateUrls }: Pick<RateConfig, 'rateUrls'>,
  name: RateSourceName,
  now: Date,
  fetch = fetchJson,
): Promise<Readings> {
  const site = RATE_SITES[name];
  return site.read(fetch, rateUrls[name] ?? site.url, now);
}

async function readSource(
  ctx: Pick<Context, 'log' | 'systemNow'>,
  config: RateConfig,
  name: RateSourceName,
): Promise<Readings> {
  try {
    return await readSite(config, name, ctx.systemNow());
  } catch (error) {
    ctx.log.warn('a source of rates cannot be read', { source: name, error: messageOf(error) });
    return {};
  }
}
