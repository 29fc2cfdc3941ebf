import { setTimeout as sleep } from 'node:timers/promises';
import { enableWebhooks, type Bench } from '../bench.ts';
import { openDirectPosts } from '../floors/direct.ts';
import { openConnection, type Connection } from '../load.ts';
import { startService } from '../processes.ts';
import { openReceivers, quantile, rowOfRepeats, until, type Receivers } from '../receivers.ts';
import { byRound, interleave, type Rounds } from '../rounds.ts';
import { median, number } from '../table.ts';
import { limitOf, sumOf, watchCpu, type Programs, type Usage } from '../watch.ts';

const RATES = [50, 200, 500];
const ENDPOINTS = 100;
const HANGING = 20;
const FLOOR = 'the same signed POST, made at once';
/** What is asked for: milliseconds above the floor's. */
const TARGETS = [
  { name: 'p50', share: 0.5, atMost: 15 },
  { name: 'p99', share: 0.99, atMost: 60 },
] as const;

/** Latencies in milliseconds, and what they took. */
export interface Latencies {
  readonly all: readonly number[];
  readonly usage: Usage;
}

/**
 * Measures from a payment's commit, as its client learns of it, to the arrival of its first event at steady
 * rates, for so many seconds a round; then beside endpoints that hang.
 */
export async function measureLatency(bench: Bench, seconds: number): Promise<void> {
  const receivers = await openReceivers();
  await enableWebhooks(bench, receivers.url(1));
  const web = await startService('web', bench.env);
  const worker = await startService('worker', bench.env);
  const programs = programsOf(bench, web.pid, worker.pid);
  const direct = openDirectPosts(bench.env);
  try {
    await steady(bench, receivers, { perSecond: 50, payments: 100 });
    for (const perSecond of RATES) {
      const payments = perSecond * seconds;
      const rounds = await interleave(
        bench.rounds,
        () => watched(programs, () => steady(bench, receivers, { perSecond, payments })),
        () => watched({}, () => directly(direct, receivers, { perSecond, payments })),
      );
      report(bench, perSecond, rounds);
    }
    // At one endpoint runs begin while others end.
    await steady(bench, receivers, { perSecond: 100, payments: 100 * seconds, isToOne: true });
    bench.report(rowOfRepeats('at steady rates', receivers));
    await besideHanging(bench, receivers, programs, 50 * seconds);
  } finally {
    receivers.close();
    await direct.close();
  }
}

function report(bench: Bench, perSecond: number, rounds: Rounds<Latencies>): void {
  for (const { name, share, atMost } of TARGETS) {
    const of = ({ all }: Latencies) => quantile(all, share);
    bench.report({
      title: `commit to receipt, ${perSecond} events a second, ${name} above the floor`,
      floor: `${FLOOR}, ${number(median(rounds.floor.map(of)))} ms`,
      target: { atMost, unit: ' ms' },
      rounds: byRound(rounds, (ours, floor) => of(ours) - of(floor)),
      figures: `${number(median(rounds.ours.map(of)))} ms`,
      limit: limitOf(sumOf(rounds.ours.map(({ usage }) => usage))),
    });
  }
}

/** Measures the endpoints that respond, while others do not. */
async function besideHanging(bench: Bench, receivers: Receivers, programs: Programs, payments: number) {
  const run = (hanging: number) => async () => {
    receivers.hangBelow(hanging);
    return watched(programs, () => steady(bench, receivers, { perSecond: 50, payments }));
  };
  const rounds = await interleave(bench.rounds, run(1 + HANGING), run(0));
  receivers.hangBelow(0);
  const p99 = ({ all }: Latencies) => quantile(all, 0.99);
  bench.report({
    title: `commit to receipt, ${HANGING} of ${ENDPOINTS} endpoints hanging, p99 of the others`,
    floor: `theirs while none hangs, ${number(median(rounds.floor.map(p99)))} ms`,
    target: { atMost: 2, unit: 'x' },
    rounds: byRound(rounds, (ours, floor) => p99(ours) / p99(floor)),
    figures: `${number(median(rounds.ours.map(p99)))} ms`,
    limit: limitOf(sumOf(rounds.ours.map(({ usage }) => usage))),
  });
}

export function programsOf(bench: Bench, web: number, worker: number): Programs {
  return { web: [web], worker: [worker], Postgres: [bench.postgresPid], Redis: [bench.redisPid] };
}

export async function watched(programs: Programs, measure: () => Promise<readonly number[]>) {
  const end = watchCpu(programs);
  return { all: await measure(), usage: end() };
}

interface Pace {
  readonly perSecond: number;
  readonly payments: number;
  /** To one endpoint, that never hangs; default: to all in turn. */
  readonly isToOne?: boolean;
}

let created = 0;

/**
 * Creates payments at the rate, each for the next endpoint, and returns the latencies in milliseconds of the
 * endpoints that never hang.
 */
export async function steady(bench: Bench, receivers: Receivers, pace: Pace): Promise<number[]> {
  receivers.reset();
  const committedAt = new Map<string, number>();
  const free: Connection[] = [];
  const opened: Connection[] = [];
  await atRate(pace, async (index) => {
    const host = pace.isToOne === true ? ENDPOINTS : 1 + (index % ENDPOINTS);
    const connection = free.pop() ?? (await openConnection(bench.origin, bench.headers));
    if (!opened.includes(connection)) opened.push(connection);
    created += 1;
    const { status, body } = await connection.send({
      method: 'POST',
      path: '/v1/payment',
      body: JSON.stringify({
        pay_amount: '10.50',
        order_id: `steady-${created}`,
        callback_url: receivers.url(host),
      }),
    });
    const now = performance.now();
    free.push(connection);
    // It stored nothing.
    if (status === 503) return;
    if (status !== 201) throw new Error(`POST /v1/payment answered ${status}: ${body.toString()}`);
    if (host > HANGING) committedAt.set((JSON.parse(body.toString()) as { id: string }).id, now);
  });
  for (const connection of opened) connection.close();
  return latencies(receivers, committedAt);
}

/** As many POSTs at the same rate, from the call to the arrival. */
async function directly(
  direct: ReturnType<typeof openDirectPosts>,
  receivers: Receivers,
  pace: Pace,
): Promise<number[]> {
  receivers.reset();
  const sentAt = new Map<string, number>();
  await atRate(pace, async (index) => {
    const id = `pay_${String(index).padStart(26, '0')}`;
    // The size of a real one.
    const body = `{"data":{"checkout":{"id":"${id}"}},"rest":"${'x'.repeat(600)}"}`;
    sentAt.set(id, performance.now());
    await direct.post(receivers.url(1 + (index % ENDPOINTS)), `evt_${index}`, body);
  });
  return latencies(receivers, sentAt);
}

async function latencies(receivers: Receivers, since: ReadonlyMap<string, number>): Promise<number[]> {
  const missing = () => [...since.keys()].filter((id) => !receivers.arrivedAt.has(id));
  await until(
    () => missing().length === 0,
    () => `${missing().length} of ${since.size} events have not arrived`,
  );
  return [...since].map(([id, at]) => Math.max(0, (receivers.arrivedAt.get(id) ?? 0) - at));
}

/** Begins `work` so many times a second, however long each takes. */
async function atRate({ perSecond, payments }: Pace, work: (index: number) => Promise<void>): Promise<void> {
  const startedAt = performance.now();
  const under = Array.from({ length: payments }, async (_, index) => {
    await sleep(startedAt + (index * 1000) / perSecond - performance.now());
    await work(index);
  });
  await Promise.all(under);
}
