import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { COLUMN, TITLE, type Bench } from './bench.ts';
import {
  copyPayments,
  createOriginal,
  dispatchCopies,
  empty,
  payCopies,
  type Copies,
  type Original,
} from './bulk-data.ts';
import { floorOfTransitions, type Moved } from './floors/transitions.ts';
import { cpuSeconds, runToEnd, startService } from './processes.ts';
import { openReceivers, quantile, type Receivers } from './receivers.ts';

/** 1,000,000 payments expire in a minute; fewer of them in less, so that as many are due per second. */
const EXPIRY_APART_MICROSECONDS = 60;
/** How long it takes at most to create a payment by SQL, and to start a worker. */
const FILL_MS = 0.3;
const START_MS = 15_000;
const POLL_MS = 100;
/** Another merchant's work becomes due this often. */
const PROBE_MS = 100;
const GIVE_UP_MS = 3_600_000;

/** What one of the two ways took. */
export interface BulkResult {
  readonly title: string;
  /** Payments times transitions, per second, until the last payment has moved. */
  readonly perSecond: number;
  readonly floorPerSecond: number;
  readonly ratio: number;
  readonly workerCpu: number;
  readonly postgresCpu: number;
  /** The most that was seen of Redis's used_memory; null: the queues are on Postgres. */
  readonly redisMegabytes: number | null;
  /** How late another merchant's work was, in milliseconds. */
  readonly deliveryP99: number;
  readonly expiryP99: number;
}

interface Way {
  readonly title: string;
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
  title: 'bulk: to SETTLED',
  moves: ['PENDING', 'PROCESSING', 'SETTLED'],
  last: 'SETTLED',
  watchesExpiry: false,
  deadline: () => new Date(Date.now() + 86_400_000),
  async begin(db, original, copies) {
    await db.query('BEGIN');
    await dispatchCopies(db, original, copies);
    await payCopies(db, original, copies);
    await db.query('COMMIT');
    return new Date();
  },
};

const EXPIRING: Way = {
  title: 'bulk: to EXPIRED',
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
export async function benchBulk(bench: Bench, count: number): Promise<BulkResult[]> {
  const original = await createOriginal(bench);
  const floorUrl = await openFloorDatabase(bench);
  const results: BulkResult[] = [];
  for (const way of [SETTLING, EXPIRING])
    results.push(await measure(bench, way, { original, count, floorUrl }));
  await bench.db.query(`DROP DATABASE ${new URL(floorUrl).pathname.slice(1)} WITH (FORCE)`);
  return results;
}

/** Its own database, migrated as every other. */
async function openFloorDatabase({ db, env }: Bench): Promise<string> {
  const name = `floor_${randomBytes(4).toString('hex')}`;
  await db.query(`CREATE DATABASE ${name}`);
  const url = new URL(String(env['DATABASE_URL']));
  url.pathname = `/${name}`;
  runToEnd('release', { ...env, DATABASE_URL: url.href });
  return url.href;
}

async function measure(
  bench: Bench,
  way: Way,
  { original, count, floorUrl }: { original: Original; count: number; floorUrl: string },
): Promise<BulkResult> {
  const { db } = bench;
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
  await copyPayments(db, original, copies);
  await db.query('VACUUM ANALYZE');
  await db.query('CHECKPOINT');
  const worker = await startService('worker', bench.env);
  const redis = await watchRedis(bench.env['REDIS_URL'] ?? '');
  const [workerBefore, postgresBefore] = [cpuSeconds(worker.pid), cpuSeconds(bench.postgresPid)];
  const beganAt = await way.begin(db, original, copies);
  const probes = probe(bench, original, { receivers, merchantId: probeId, watchesExpiry: way.watchesExpiry });
  await untilNone(db, `SELECT FROM payments WHERE merchant_id = $1 AND status <> '${way.last}'`, merchantId);
  const movedMs = Date.now() - beganAt.getTime();
  const lateness = await probes.end();
  await untilNone(db, 'SELECT FROM scheduled_jobs WHERE job = $1', 'event.fan-out');
  const dispatchedMs = Date.now() - beganAt.getTime();
  const workerCpu = cpuSeconds(worker.pid) - workerBefore;
  const postgresCpu = cpuSeconds(bench.postgresPid) - postgresBefore;
  const redisMegabytes = await redis.end();
  await worker.stop();
  receivers.close();
  const floorPerSecond = (before + (await floorOf())) / 2;
  const perSecond = (count * way.moves.length * 1_000) / movedMs;
  const result = {
    title: way.title,
    perSecond,
    floorPerSecond,
    ratio: perSecond / floorPerSecond,
    workerCpu,
    postgresCpu,
    redisMegabytes,
    deliveryP99: quantile(lateness.delivery, 0.99),
    expiryP99: quantile(lateness.expiry, 0.99),
  };
  print(result, { count, movedMs, dispatchedMs, lateness });
  return result;
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

interface Lateness {
  readonly delivery: number[];
  readonly expiry: number[];
}

/**
 * Makes an event and an expiry of another merchant due every 100 ms until `end`, and returns, once all have
 * come, how long after they were due their webhooks arrived.
 */
function probe(
  { env }: Bench,
  original: Original,
  {
    receivers,
    merchantId,
    watchesExpiry,
  }: { receivers: Receivers; merchantId: string; watchesExpiry: boolean },
): { end(): Promise<Lateness> } {
  const dueAt = { delivery: new Map<string, number>(), expiry: new Map<string, number>() };
  const stop = new AbortController();
  const all = (async () => {
    const db = new Client({ connectionString: String(env['DATABASE_URL']) });
    await db.connect();
    for (let i = 1; !stop.signal.aborted; i += 1) {
      const own = { from: i, until: i, merchantId, apart: 0 };
      const idOf = (name: string) =>
        `${original.payment.id.slice(0, 14)}${name}${String(i).padStart(14, '0')}`;
      if (watchesExpiry) {
        dueAt.expiry.set(idOf('30'), performance.now());
        await copyPayments(db, original, { ...own, name: '30', deadline: new Date() });
      }
      dueAt.delivery.set(idOf('20'), performance.now());
      const delivered = { ...own, name: '20', deadline: new Date(Date.now() + 86_400_000) };
      await copyPayments(db, original, delivered);
      await dispatchCopies(db, original, delivered);
      await sleep(PROBE_MS);
    }
    await db.end();
  })();
  const late = (due: Map<string, number>) =>
    [...due].map(([id, at]) => (receivers.arrivedAt.get(id) ?? Infinity) - at);
  return {
    async end() {
      stop.abort();
      await all;
      const giveUpAt = performance.now() + GIVE_UP_MS;
      while ([...late(dueAt.delivery), ...late(dueAt.expiry)].includes(Infinity)) {
        if (performance.now() > giveUpAt) throw new Error('webhooks of another merchant never came');
        await sleep(POLL_MS);
      }
      return { delivery: late(dueAt.delivery), expiry: late(dueAt.expiry) };
    },
  };
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

/** Reads Redis's memory every 50 ms: its own peak may be from a part before. */
async function watchRedis(url: string): Promise<{ end(): Promise<number | null> }> {
  if (url === '') return { end: () => Promise.resolve(null) };
  const redis = new Redis(url);
  let most = 0;
  const look = async () => {
    const info = await redis.info('memory');
    most = Math.max(most, Number(/used_memory:(\d+)/.exec(info)?.[1] ?? 0));
  };
  await look();
  const timer = setInterval(() => void look().catch(() => undefined), 50);
  return {
    async end() {
      clearInterval(timer);
      await redis.quit();
      return most / 2 ** 20;
    },
  };
}

function print(
  result: BulkResult,
  more: { count: number; movedMs: number; dispatchedMs: number; lateness: Lateness },
): void {
  const { title, perSecond, floorPerSecond, ratio, workerCpu, postgresCpu, redisMegabytes } = result;
  const { count, movedMs, dispatchedMs, lateness } = more;
  const per10k = (cpu: number) => ((cpu * 10_000) / count).toFixed(2);
  const late = (values: number[]) =>
    `p50 ${quantile(values, 0.5).toFixed(0)} p99 ${quantile(values, 0.99).toFixed(0)} ms`;
  console.log(
    `${title.padEnd(TITLE)}${perSecond.toFixed(0).padStart(COLUMN)} rows per s, ${ratio.toFixed(2)} of the floor's ${floorPerSecond.toFixed(0)}   ` +
      `(${count} in ${(movedMs / 1000).toFixed(1)} s, dispatched in ${(dispatchedMs / 1000).toFixed(1)} s; ` +
      `CPU s per 10,000: worker ${per10k(workerCpu)}, Postgres ${per10k(postgresCpu)}; ` +
      `another merchant's webhook ${late(lateness.delivery)}, expiry ${late(lateness.expiry)}; ` +
      `Redis ${redisMegabytes === null ? '-' : `${redisMegabytes.toFixed(1)} MB`})`,
  );
}
