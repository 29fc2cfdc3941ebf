import type { Rates, RateSource } from '../../src/domain/chain/rates/rates.ts';
import { marketOf } from '../../src/domain/chain/simulator/market.ts';

/** A market that has these prices whenever it is read, for every merchant. */
export const marketAt =
  (rates: () => Rates): RateSource =>
  (_connection, _merchantIds, now) => {
    const market = marketOf(rates(), now);
    return Promise.resolve(() => market);
  };

/** The prices of a payment whose merchant has no spread. */
export const pricesAt = (rates: Rates, now: Date) => ({ rates, market: marketOf(rates, now) });
