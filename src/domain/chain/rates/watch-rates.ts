import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../../../platform/config/config.ts';
import type { Context } from '../../../platform/context.ts';
import { faultOf } from '../../../platform/logging/reasons.ts';
import type { Leadership } from '../../../platform/postgres/leadership.ts';
import { NO_BOUNDS, type BoundsAt } from './chainlink.ts';
import { refreshRatesOnce } from './refresh.ts';

/** Rates are refreshed this often, and at least four times before the last is too old. */
const MOST_PAUSE_MS = 30_000;

/** Refreshes the rates until `signal` aborts, whenever this process leads. */
export async function watchRates(
  ctx: Context,
  leadership: Pick<Leadership, 'hold' | 'end'>,
  boundsAt: BoundsAt,
  signal: AbortSignal,
): Promise<void> {
  const pauseMs = Math.min(MOST_PAUSE_MS, (ctx.config.rateMaxAgeSeconds * 1_000) / 4);
  while (!signal.aborted) {
    await watchRatesOnce(ctx, ctx.config, leadership, boundsAt);
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
  }
  await leadership.end();
}

/** Refreshes the rates, if this process leads. A fault is logged: the next time tries again. */
export async function watchRatesOnce(
  ctx: Context,
  config: Pick<Config, 'rateSources' | 'rateUrls' | 'rateMaxAgeSeconds'>,
  leadership: Pick<Leadership, 'hold'>,
  boundsAt: BoundsAt = NO_BOUNDS,
): Promise<void> {
  try {
    if (await leadership.hold()) await refreshRatesOnce(ctx, config, boundsAt);
  } catch (error) {
    ctx.log.warn('rates not refreshed, retrying', faultOf(error));
  }
}
