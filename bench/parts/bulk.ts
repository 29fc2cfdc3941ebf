import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import type { Bench } from '../bench.ts';
import {
  atOnce,
  copyPayments,
  createOriginal,
  dispatchCopies,
  empty,
  payCopies,
  type Copies,
  type Original,
} from '../bulk-rows.ts';
import { floorOfTransitions, type Moved } from '../floors/transitions.ts';
import { startService } from '../processes.ts';
import { openReceivers, quantile } from '../receivers.ts';
import { median, number } from '../table.ts';
import { cpuOf, limitOf, sumOf, watchCpu, type Usage } from '../watch.ts';
import { probe, watchRedis, type Lateness } from './bulk-probes.ts';

/** 1,000,000 payments expire in a minute; fewer of them in less, so that as many are due per second. */
const EXPIRY_APART_MICROSECONDS = 60;
/** How long it takes at most to create a payment by SQL, and to start a worker. */
const FILL_MS = 0.3;
const START_MS = 5_000;
const POLL_MS = 100;
const GIVE_UP_MS = 3_600_000;

/** More than this are measured once, and expire only: a round takes many minutes. */
const ROUNDS_UP_TO = 100_000;

/** What one round took. */
interface Result {
  /** Payments times transitions, per second, until the last payment has moved. */
  readonly perSecond: number;
  readonly floorPerSecond: number;
  readonly dispatchedMs: number;
  readonly usage: Usage;
  /** The most that was seen of Redis's used_memory; null: the queues are on Postgres. */
  readonly redisMegabytes: number | null;
  readonly lateness: Lateness;
}

interface Way {
  readonly moves: readonly Moved[];
  readonly last: Moved;
  /** Whether another merchant's expiry is watched: it waits until its network is read to the head. */
  readonly watchesExpiry: boolean;
  /** When the first of so many payments, which are still to be created, expires. */
  deadline(count: number): Date;
  /** Makes the work due, with the worker running. Returns when the first of it is due. */
  begin(db: Client, original: Original, copies: Copies): Promise<Date>;
}

const SETTLING: Way = {
  moves: ['PENDING', 'PROCESSING', 'SETTLED'],
  last: 'SETTLED',
  watchesExpiry: false,
  deadline: () => new Date(Date.now() + 86_400_000),
  async begin(db, original, copies) {
    await atOnce(db, async () => {
      await dispatchCopies(db, original, copies);
      await payCopies(db, original, copies);
    });
    return new Date();
  },
};

const EXPIRING: Way = {
  moves: ['EXPIRED'],
  last: 'EXPIRED',
  watchesExpiry: true,
  deadline: (count) => new Date(Date.now() + START_MS + count * FILL_MS),
  async begin(_db, _original, { deadline }) {
    const left = deadline.getTime() - Date.now();
    if (left < 0) throw new Error(`the first payments expired ${-left} ms before all were created`);
    await sleep(left);
    return deadline;
  },
};

/**
 * Measures how many payments move per second when very many move at once, from their creation to SETTLED
 * (their money is in the newest block of the chain) and from WAITING to EXPIRED, beside a bare client that
 * moves as many; and how late another merchant's expiry and webhook are meanwhile. The merchant of the many
 * has no webhooks: deliveries have their own part.
 */
export async function measureBulk(bench: Bench, count: number): Promise<void> {
  const original = await createOriginal(bench);
  const rounds = count > ROUNDS_UP_TO ? 1 : bench.rounds;
  for (const way of count > ROUNDS_UP_TO ? [EXPIRING] : [SETTLING, EXPIRING]) {
    const results: Result[] = [];
    while (results.length < rounds) results.push(await measureOnce(bench, way, { original, count }));
    report(bench, way, count, results);
  }
}

function report(bench: Bench, way: Way, count: number, results: readonly Result[]): void {
  const of = (figure: (result: Result) => number) => median(results.map(figure));
  const limit = limitOf(sumOf(results.map(({ usage }) => usage)));
  const title = `${count.toLocaleString('en-US')} payments to ${way.last}`;
  const late = (key: keyof Lateness) => results.map(({ lateness }) => quantile(lateness[key], 0.99));
  const per10k = (name: string) => number(of(({ usage }) => (cpuOf(usage, name) * 10_000) / count));
  bench.report({
    title,
    floor: `set-based statements of a bare client, ${number(of((one) => one.floorPerSecond))} rows/s`,
    target: { atLeast: 0.3 },
    rounds: results.map((one) => one.perSecond / one.floorPerSecond),
    figures:
      `${number(of((one) => one.perSecond))} rows/s; ` +
      `dispatched after ${number(of((one) => one.dispatchedMs / 1_000))} s; ` +
      `CPU s per 10,000: worker ${per10k('worker')}, Postgres ${per10k('Postgres')}`,
    limit,
  });
  const kinds = way.watchesExpiry ? (['delivery', 'expiry'] as const) : (['delivery'] as const);
  for (const kind of kinds)
    bench.report({
      title: `another merchant's ${kind} meanwhile, lateness p99`,
      floor: '',
      target: { atMost: 1_000, unit: ' ms' },
      rounds: late(kind),
      figures: `${title}; due every 100 ms`,
      limit,
    });
  const megabytes = results.flatMap(({ redisMegabytes }) => redisMegabytes ?? []);
  if (megabytes.length > 0)
    bench.report({
      title: "Redis's memory meanwhile",
      floor: '',
      target: { atMost: 64, unit: ' MB' },
      rounds: megabytes,
      figures: `${title}; the most of used_memory`,
      limit,
    });
}

async function measureOnce(
  bench: Bench,
  way: Way,
  { original, count }: { original: Original; count: number },
): Promise<Result> {
  const { db } = bench;
  const floorUrl = String(bench.floor.env['DATABASE_URL']);
  const floorOf = () => floorOfTransitions(floorUrl, original, { count, way: way.moves });
  const before = await floorOf();
  const receivers = await openReceivers();
  const merchantId = await setUp(db, original, receivers.url(1));
  const probeId = original.merchant.id;
  const copies: Copies = {
    name: '10',
    from: 1,
    until: count,
    merchantId,
    deadline: way.deadline(count),
    apart: EXPIRY_APART_MICROSECONDS,
  };
  await atOnce(db, () => copyPayments(db, original, copies));
  await db.query('VACUUM ANALYZE');
  await db.query('CHECKPOINT');
  const worker = await startService('worker', bench.env);
  const redis = await watchRedis(bench.env['REDIS_URL'] ?? '');
  const end = watchCpu({ worker: [worker.pid], Postgres: [bench.postgresPid], Redis: [bench.redisPid] });
  const beganAt = await way.begin(db, original, copies);
  const probes = probe(bench, original, { receivers, merchantId: probeId, watchesExpiry: way.watchesExpiry });
  await untilNone(db, `SELECT FROM payments WHERE merchant_id = $1 AND status <> '${way.last}'`, merchantId);
  const movedMs = Date.now() - beganAt.getTime();
  const lateness = await probes.end();
  await untilNone(db, 'SELECT FROM scheduled_jobs WHERE job = $1', 'event.fan-out');
  const dispatchedMs = Date.now() - beganAt.getTime();
  const usage = end();
  const redisMegabytes = await redis.end();
  await worker.stop();
  receivers.close();
  const floorPerSecond = (before + (await floorOf())) / 2;
  const perSecond = (count * way.moves.length * 1_000) / movedMs;
  return { perSecond, floorPerSecond, dispatchedMs, usage, redisMegabytes, lateness };
}

/** The merchant of the many, without webhooks; the one that was there has a receiver, and secrets. */
async function setUp(db: Client, original: Original, url: string): Promise<string> {
  await empty(db);
  const { rows } = await db.query<{ id: string }>(
    `INSERT INTO merchants SELECT m.* FROM jsonb_populate_record(NULL::merchants,
       $1::jsonb || '{"id": "mer_00000000000000000000000000", "name": "Bulk"}') m
     ON CONFLICT (id) DO UPDATE SET name = excluded.name RETURNING id`,
    [JSON.stringify(original.merchant)],
  );
  const id = rows[0]?.id ?? '';
  await db.query(`UPDATE merchants SET webhooks_enabled = (id <> $1), webhook_url = $2`, [id, url]);
  return id;
}

async function untilNone(db: Client, rows: string, value: string): Promise<void> {
  const giveUpAt = performance.now() + GIVE_UP_MS;
  for (;;) {
    const { rows: found } = await db.query(`${rows} LIMIT 1`, [value]);
    if (found.length === 0) return;
    if (performance.now() > giveUpAt) throw new Error(`still there: ${rows}`);
    await sleep(POLL_MS);
  }
}
