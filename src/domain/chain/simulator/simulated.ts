import { createHash } from 'node:crypto';
import type { Db } from '../../../platform/postgres/db.ts';
import { COIN_IDS, COINS, type CoinId } from '../coins.ts';
import type { ChainOf, Payouts, Rates, RateSource, TestChain } from '../port.ts';
import { createSimulator } from './simulator.ts';

/** Every process must derive the same addresses; the seed guards nothing, because no real money ever reaches them. */
const SEED = 'payment checkout simulator';

const shared = new WeakMap<Db, TestChain>();

/** The simulated chain of a context; the shared one is made once for each pool. */
export const simulatedChain: ChainOf<TestChain> = ({ db, config, testClock }) => {
  const options = { db, blockSeconds: config.blockSeconds, seed: SEED };
  if (testClock !== null) return createSimulator({ ...options, testClock: testClock.id });
  const known = shared.get(db);
  if (known !== undefined) return known;
  const simulator = createSimulator(options);
  shared.set(db, simulator);
  return simulator;
};

/** The simulated market, which never moves. */
export const SIMULATED_RATES = Object.fromEntries(
  COIN_IDS.map((coin) => [coin, COINS[coin].simulatedRate]),
) as Record<CoinId, string> satisfies Rates;

export const simulatedRates: RateSource = () => Promise.resolve(SIMULATED_RATES);

/** Pays out at once; the hash follows from the reference alone, so that a payout that is sent twice is the same one. */
export const simulatedPayouts: Payouts = {
  send: ({ reference }) =>
    Promise.resolve({ txHash: createHash('sha256').update(`payout ${reference}`).digest('hex') }),
};
