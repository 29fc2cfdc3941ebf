import { CONNECTIONS, type Bench } from '../bench.ts';
import { load, type LoadRequest, type LoadResult } from '../load.ts';
import { startOwn, startService, type Service } from '../processes.ts';
import { byRound, interleave, type Rounds } from '../rounds.ts';
import { median, number } from '../table.ts';
import { cpuOf, limitOf, sumOf, watchCpu, type Usage } from '../watch.ts';

export const BARE = 'bare node:http and pg, one named statement';

/** One side's measurement of one round. */
export interface Measured extends LoadResult {
  readonly usage: Usage;
}

/** Where requests go. */
export interface Side {
  readonly origin: string;
  readonly service: Service;
  readonly redisPid: number | null;
  /** Payments that it has created. */
  readonly ids: string[];
}

/** A load on both sides. */
export interface Work {
  readonly count: number;
  readonly connections: number;
  readonly next: (side: Side) => (index: number) => LoadRequest;
}

/**
 * Measures creating and reading payments, with the limiter on Redis and the log on, beside the bare program.
 */
export async function measureRequests(bench: Bench, size: number): Promise<void> {
  const sides = await startSides(bench);
  const run = (work: Work) => measureBoth(bench, sides, work);
  await warmUp(bench, sides, size);
  const one = Math.max(20, Math.ceil(size / 10));
  const plain = await run({ count: size, connections: CONNECTIONS, next: () => create });
  reportRate(bench, 'POST /v1/payment, 64 connections', plain, 1);
  const once = await run({ count: size, connections: CONNECTIONS, next: () => createOnce });
  reportRate(bench, 'the same, each with an Idempotency-Key', once, 1);
  reportCpu(bench, plain, size);
  const alone = await run({ count: one, connections: 1, next: () => create });
  reportLatency(bench, 'POST /v1/payment, 1 connection, p50', alone);
  const reads = await run({ count: size, connections: CONNECTIONS, next: read });
  reportRate(bench, 'GET /v1/payment/:id, 64 connections', reads, 0.8);
}

export async function startSides(bench: Bench): Promise<{ ours: Side; floor: Side }> {
  const web = await startService('web', bench.env);
  const floor = await startOwn('floors/requests', bench.floor.env);
  return {
    ours: { origin: bench.origin, service: web, redisPid: bench.redisPid, ids: [] },
    floor: { origin: bench.floor.origin, service: floor, redisPid: null, ids: [] },
  };
}

export async function measureBoth(
  bench: Bench,
  { ours, floor }: { ours: Side; floor: Side },
  work: Work,
): Promise<Rounds<Measured>> {
  return interleave(
    bench.rounds,
    () => measureSide(bench, ours, 'web', work),
    () => measureSide(bench, floor, 'floor', work),
  );
}

async function measureSide(bench: Bench, side: Side, name: string, work: Work): Promise<Measured> {
  const end = watchCpu({
    [name]: [side.service.pid],
    Postgres: [bench.postgresPid],
    ...(side.redisPid === null ? {} : { Redis: [side.redisPid] }),
  });
  const { count, connections } = work;
  const result = await load(side.origin, {
    headers: bench.headers,
    count,
    connections,
    next: work.next(side),
  });
  return { ...result, usage: end() };
}

let created = 0;
const create = (): LoadRequest => ({
  method: 'POST',
  path: '/v1/payment',
  body: JSON.stringify({ pay_amount: '10.50', order_id: `order-${(created += 1)}` }),
});
const createOnce = (): LoadRequest => ({ ...create(), headers: { 'idempotency-key': `bench-${created}` } });
const read =
  ({ ids }: Side) =>
  (index: number): LoadRequest => ({
    method: 'GET',
    path: `/v1/payment/${ids[index % ids.length]}`,
  });

/** Compiles what both sides need, and creates the payments that are read. */
async function warmUp(bench: Bench, sides: { ours: Side; floor: Side }, size: number): Promise<void> {
  for (const { origin, ids } of Object.values(sides)) {
    const options = { headers: bench.headers, count: Math.min(2_000, size), connections: CONNECTIONS };
    await load(origin, {
      ...options,
      next: create,
      onAnswer: (body) => ids.push((JSON.parse(body) as { id: string }).id),
    });
    await load(origin, { ...options, next: createOnce });
    await load(origin, { ...options, next: read({ ids } as Side) });
  }
}

/** Reports how much of the floor's rate ours is. */
export function reportRate(bench: Bench, title: string, rounds: Rounds<Measured>, atLeast: number): void {
  const rate = (side: readonly Measured[]) => number(median(side.map(({ perSecond }) => perSecond)));
  const p99 = (side: readonly Measured[]) => number(median(side.map((one) => one.p99)));
  bench.report({
    title,
    floor: `${BARE}, ${rate(rounds.floor)} per s, p99 ${p99(rounds.floor)} ms`,
    target: { atLeast },
    rounds: byRound(rounds, (ours, floor) => ours.perSecond / floor.perSecond),
    figures: `${rate(rounds.ours)} per s, p99 ${p99(rounds.ours)} ms`,
    limit: limitsOf(rounds),
  });
}

function reportLatency(bench: Bench, title: string, rounds: Rounds<Measured>): void {
  const p50 = (side: readonly Measured[]) => number(median(side.map((one) => one.p50)));
  bench.report({
    title,
    floor: `${BARE}, ${p50(rounds.floor)} ms`,
    target: { atMost: 1.6, unit: 'x' },
    rounds: byRound(rounds, (ours, floor) => ours.p50 / floor.p50),
    figures: `${p50(rounds.ours)} ms`,
    limit: limitsOf(rounds),
  });
}

function reportCpu(bench: Bench, rounds: Rounds<Measured>, size: number): void {
  const ours = ({ usage }: Measured) => cpuOf(usage, 'web', 'Postgres', 'Redis');
  const floor = ({ usage }: Measured) => cpuOf(usage, 'floor', 'Postgres');
  const per = (seconds: readonly number[]) => number((median(seconds) * 10_000) / size);
  bench.report({
    title: 'CPU per 10,000 POSTs, web + Postgres + Redis',
    floor: `its web + Postgres, ${per(rounds.floor.map(floor))} s`,
    target: { atMost: 1.5, unit: 'x' },
    rounds: byRound(rounds, (one, other) => ours(one) / floor(other)),
    figures: `${per(rounds.ours.map(ours))} s`,
    limit: partsOf(rounds, size),
  });
}

/** What each program took of it. */
function partsOf({ ours, floor }: Rounds<Measured>, size: number): string {
  const of = (side: readonly Measured[], ...names: readonly string[]) => {
    const { cpu } = sumOf(side.map(({ usage }) => usage));
    const per = (name: string) => number(((cpu[name] ?? 0) * 10_000) / (size * side.length));
    return names
      .filter((name) => cpu[name] !== undefined)
      .map((name) => `${name} ${per(name)} s`)
      .join(', ');
  };
  return `nothing: ${of(ours, 'web', 'Postgres', 'Redis')}; floor: ${of(floor, 'floor', 'Postgres')}`;
}

export function limitsOf({ ours, floor }: Rounds<Measured>): string {
  const of = (side: readonly Measured[]) => limitOf(sumOf(side.map(({ usage }) => usage)));
  return `${of(ours)}; the floor by ${of(floor)}`;
}
