import { setTimeout } from 'node:timers/promises';
import type { CurrencySource, DisplayRates, RateSource } from '../../chain/rates/rates.ts';
import type { Context } from '../../../platform/context.ts';
import { faultOf } from '../../../platform/logging/reasons.ts';

/** Prices for orientation need no fresher rates. A source that fails is asked again after as long. */
const KEEP_MS = 60_000;
/** Rates that are older say nothing: then the page shows no such price. */
const STALE_MS = 3_600_000;
/** A page does not wait longer for what it can do without. */
const WAIT_MS = 1_000;

interface DisplaySources {
  readonly rates: RateSource;
  readonly currencies: CurrencySource;
}

interface Known {
  readonly rates: DisplayRates | null;
  readonly readAt: number;
  readonly askedAt: number;
}

const knownOf = new WeakMap<CurrencySource, Known>();

/** The rates for display, at most an hour old; null: they are not to be had. It never throws. */
export async function readDisplayRates(
  ctx: Pick<Context, 'db' | 'systemNow' | 'log'>,
  sources: DisplaySources,
): Promise<DisplayRates | null> {
  const { currencies: source } = sources;
  const now = ctx.systemNow().getTime();
  const known = knownOf.get(source) ?? { rates: null, readAt: 0, askedAt: -Infinity };
  if (now - known.askedAt >= KEEP_MS) {
    // Set first: pages that are opened meanwhile go on with what is known.
    knownOf.set(source, { ...known, askedAt: now });
    try {
      const rates = await Promise.race([readBoth(ctx, sources), tooLong()]);
      knownOf.set(source, { rates, readAt: now, askedAt: now });
      return rates;
    } catch (error) {
      ctx.log.warn('no rates for display: pages show prices in coins only', faultOf(error));
    }
  }
  return now - known.readAt < STALE_MS ? known.rates : null;
}

async function readBoth(
  { db, systemNow }: Pick<Context, 'db' | 'systemNow'>,
  { rates, currencies }: DisplaySources,
): Promise<DisplayRates> {
  const now = systemNow();
  // No merchant's own: a test merchant moves what is paid, not what is shown for orientation.
  return { coins: (await rates(db, [], now))(''), currencies: await currencies(db, now) };
}

async function tooLong(): Promise<never> {
  await setTimeout(WAIT_MS, undefined, { ref: false });
  throw new Error(`the rates for display took more than ${WAIT_MS} ms`);
}
