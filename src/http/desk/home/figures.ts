import { halfSettled, type HalfSettled } from '../../../domain/overview/counts/settle-times.ts';
import type { CoinCounts, Counts } from '../../../domain/overview/counts/read.ts';
import type { Day } from '../../../domain/overview/days.ts';
import { sum } from '../../../platform/values/money.ts';

/** What a day, or a whole range, says of payments. */
export interface Figures {
  readonly created: number;
  /** Of those that were created, how many have settled since. */
  readonly createdSettled: number;
  readonly settled: number;
  /** How long half of those that settled took; null: none did. */
  readonly half: HalfSettled | null;
  /** What those cost that settled, by coin: amounts of two coins are never added. */
  readonly volumes: ReadonlyMap<string, Volume>;
}

export interface Volume {
  readonly settled: number;
  /** Decimal string in the coin. */
  readonly amount: string;
}

export interface DayFigures extends Figures {
  readonly date: string;
}

/** The figures of each day, oldest first, and of all of them; `coins` are those in which anything settled. */
export interface RangeFigures {
  readonly days: readonly DayFigures[];
  readonly all: Figures;
  readonly coins: readonly string[];
}

/** Returns the figures of days, whose counts are the parts between their begins. */
export function figuresOf(days: readonly Day[], { parts }: Counts): RangeFigures {
  const all = figuresOfCounts([...parts.values()].flat());
  return {
    days: days.map(({ date }, part) => ({ date, ...figuresOfCounts(parts.get(part) ?? []) })),
    all,
    coins: [...all.volumes.keys()].toSorted(),
  };
}

function figuresOfCounts(counts: readonly CoinCounts[]): Figures {
  const total = (of: (one: CoinCounts) => number) => counts.reduce((before, one) => before + of(one), 0);
  const coins = new Set(counts.filter(({ settled }) => settled > 0).map(({ coin }) => coin));
  return {
    created: total((one) => one.created),
    createdSettled: total((one) => one.created_settled),
    settled: total((one) => one.settled),
    half: halfSettled((counts[0]?.times ?? []).map((_, i) => total(({ times }) => times[i] ?? 0))),
    volumes: new Map([...coins].map((coin) => [coin, volumeOf(counts.filter((one) => one.coin === coin))])),
  };
}

function volumeOf(counts: readonly CoinCounts[]): Volume {
  return {
    settled: counts.reduce((before, { settled }) => before + settled, 0),
    amount: sum(counts.map(({ volume }) => volume)),
  };
}
