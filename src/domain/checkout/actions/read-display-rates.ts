import { setTimeout } from 'node:timers/promises';
import type { DisplayRates, DisplayRateSource } from '../../chain/rates/rates.ts';
import type { Context } from '../../../platform/context.ts';
import { faultOf } from '../../../platform/logging/reasons.ts';

/** Prices for orientation need no fresher rates. A source that fails is asked again after as long. */
const KEEP_MS = 60_000;
/** Rates that are older say nothing: then the page shows no such price. */
const STALE_MS = 3_600_000;
/** A page does not wait longer for what it can do without. */
const WAIT_MS = 1_000;

interface Known {
  readonly rates: DisplayRates | null;
  readonly readAt: number;
  readonly askedAt: number;
}

const knownOf = new WeakMap<DisplayRateSource, Known>();

/** The rates for display, at most an hour old; null: they are not to be had. It never throws. */
export async function readDisplayRates(
  { systemNow, log }: Pick<Context, 'systemNow' | 'log'>,
  source: DisplayRateSource,
): Promise<DisplayRates | null> {
  const now = systemNow().getTime();
  const known = knownOf.get(source) ?? { rates: null, readAt: 0, askedAt: -Infinity };
  if (now - known.askedAt >= KEEP_MS) {
    // Set first: pages that are opened meanwhile go on with what is known.
    knownOf.set(source, { ...known, askedAt: now });
    try {
      const rates = await Promise.race([source(), tooLong()]);
      knownOf.set(source, { rates, readAt: now, askedAt: now });
      return rates;
    } catch (error) {
      log.warn('no rates for display: pages show prices in coins only', faultOf(error));
    }
  }
  return now - known.readAt < STALE_MS ? known.rates : null;
}

async function tooLong(): Promise<never> {
  await setTimeout(WAIT_MS, undefined, { ref: false });
  throw new Error(`the rates for display took more than ${WAIT_MS} ms`);
}
