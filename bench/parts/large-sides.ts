import type { Client } from 'pg';
import type { Bench } from '../bench.ts';
import { load, type LoadRequest } from '../load.ts';
import type { Service } from '../processes.ts';
import { byRound, interleave } from '../rounds.ts';
import { median, number } from '../table.ts';
import { limitOf, sumOf, watchCpu, type Usage } from '../watch.ts';

/** Requests of one round, on one connection: latency, not throughput. */
const REQUESTS = 200;

/** A database with its web process. */
export interface Side {
  readonly origin: string;
  readonly service: Service;
  readonly payments: number;
  readonly db: Client;
  /** A cursor of the merchant's list after so many pages. */
  readonly cursors: ReadonlyMap<number, string>;
}

interface Timed {
  readonly p50: number;
  readonly p99: number;
  readonly usage: Usage;
}

/** Requests of a round on one connection; `headers`: the merchant's key, unless others are given. */
export async function time(
  bench: Bench,
  side: Side,
  next: (index: number) => LoadRequest,
  headers = bench.headers,
): Promise<Timed> {
  const count = bench.isQuick ? 5 : REQUESTS;
  const end = watchCpu({
    web: [side.service.pid],
    Postgres: [bench.postgresPid],
  });
  const { p50, p99 } = await load(side.origin, { headers, connections: 1, count, next });
  return { p50, p99, usage: end() };
}

/** Reports how many times as long ours takes, at the median. */
export async function compare(
  bench: Bench,
  title: string,
  {
    ours,
    floor,
    what,
    atMost,
  }: { ours: () => Promise<Timed>; floor: () => Promise<Timed>; what: string; atMost: number },
): Promise<void> {
  // Pages that were read before are in memory on both sides.
  await Promise.all([ours(), floor()]);
  const rounds = await interleave(bench.rounds, ours, floor);
  const p50 = (side: readonly Timed[]) => number(median(side.map((one) => one.p50)));
  const p99 = number(median(rounds.ours.map((one) => one.p99)));
  bench.report({
    title: `${title}, p50`,
    floor: `${what}, ${p50(rounds.floor)} ms`,
    target: { atMost, unit: 'x' },
    rounds: byRound(rounds, (one, other) => one.p50 / other.p50),
    figures: `${p50(rounds.ours)} ms, p99 ${p99} ms`,
    limit: limitOf(sumOf(rounds.ours.map(({ usage }) => usage))),
  });
}
