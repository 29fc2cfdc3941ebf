import { compare, divide, max, min, multiply, subtract } from '../../../platform/values/money.ts';
import type { CoinId } from '../coins.ts';

/** Chainlink's feeds on Ethereum: US dollars with eight decimals. */
const FEEDS: Readonly<Partial<Record<CoinId, string>>> = {
  BTC: '0xF4030086522a5bEEa4988F8cA5B36dbC97BeE88c',
  ETH: '0x5f4eC3Df9cbd43714FE2740f5E3616155c5b8419',
  USDC: '0x8fFfFfd4AfB6115b954Bd326cbe7B4BA576818f6',
  USDT: '0x3E7d1eAB13ad0104d2750B8863b489D65364e32D',
  DAI: '0xAed0c38402a5d19df6E4c03F4E2DceD6e29c1ee9',
};
const DECIMALS = 8;

/** latestRoundData(): roundId, answer, startedAt, updatedAt, answeredInRound. */
const LATEST_ROUND_DATA = '0xfeaf968c';
const ROUND = /^0x[0-9a-f]{64}([0-9a-f]{64})[0-9a-f]{64}([0-9a-f]{64})[0-9a-f]{64}$/i;

/** A feed is written when the price moves by half a percent, and at least once in this time. */
const MOST_AGE_SECONDS = 25 * 3_600;
/** A rate that is further from it is not believed: neither makes a price alone. */
const MOST_DEVIATION = '0.05';

/** Calls a contract on Ethereum. */
export type CallContract = (to: string, data: string) => Promise<unknown>;

/** US dollars per coin that a rate must be near; a coin without is not bounded. */
export type Bounds = Readonly<Partial<Record<CoinId, string>>>;

/** Returns what bounds rates at a time. */
export type BoundsAt = (now: Date) => Promise<Bounds>;

/** Where nobody reads Chainlink. */
export const NO_BOUNDS: BoundsAt = () => Promise.resolve({});

/** Each reading costs a call for each coin, and the bound is wide. */
const KEEP_MS = 5 * 60_000;

/** Returns what reads Chainlink's feeds through a network's client, some minutes apart. */
export function chainlinkBounds(call: CallContract): BoundsAt {
  let known: { at: number; bounds: Bounds } | null = null;
  return async (now) => {
    if (known === null || now.getTime() - known.at >= KEEP_MS)
      known = { at: now.getTime(), bounds: await readBounds(call, now) };
    return known.bounds;
  };
}

/** Reads what Chainlink says of coins. One that cannot be read, or is too old, bounds nothing. */
async function readBounds(call: CallContract, now: Date): Promise<Bounds> {
  const coins = Object.keys(FEEDS) as CoinId[];
  const read = await Promise.allSettled(coins.map((coin) => call(FEEDS[coin] ?? '', LATEST_ROUND_DATA)));
  const bounds: Partial<Record<CoinId, string>> = {};
  for (const [i, coin] of coins.entries()) {
    const one = read[i];
    const usd = one?.status === 'fulfilled' ? answerOf(one.value, now) : null;
    if (usd !== null) bounds[coin] = usd;
  }
  return bounds;
}

function answerOf(round: unknown, now: Date): string | null {
  const [, answer, updatedAt] = typeof round === 'string' ? (ROUND.exec(round) ?? []) : [];
  if (answer === undefined || updatedAt === undefined) return null;
  const units = BigInt(`0x${answer}`);
  const ageSeconds = now.getTime() / 1_000 - Number(BigInt(`0x${updatedAt}`));
  // A negative number has the highest bit.
  if (units <= 0n || units >> 255n === 1n || ageSeconds > MOST_AGE_SECONDS) return null;
  return divide(String(units), String(10n ** BigInt(DECIMALS)), DECIMALS, 'down');
}

/** True unless a bound is known and the price is far from it. */
export function isBounded(usd: string, bound: string | undefined): boolean {
  if (bound === undefined) return true;
  const apart = subtract(max(usd, bound), min(usd, bound));
  return compare(apart, multiply(bound, MOST_DEVIATION)) <= 0;
}
