import { openQueueEngine } from '../../src/background/queues.ts';
import { newWebhookSecret } from '../../src/platform/secret-box.ts';
import { readConfig } from '../../src/platform/config/config.ts';
import { QUEUE_NAMES } from '../../src/domain/schedule/job.ts';
import { createLog } from '../../src/platform/log.ts';
import type { Client } from 'pg';
import { enableWebhooks, type Bench } from '../bench.ts';
import { copyPayments, settleTables } from '../fill.ts';
import { startOwn, startService, type Service } from '../processes.ts';
import { openReceivers, rowOfRepeats, until, type Receivers } from '../receivers.ts';
import { byRound, interleave } from '../rounds.ts';
import { median, number } from '../table.ts';
import { cpuOf, limitOf, sumOf, watchCpu, type Programs, type Usage } from '../watch.ts';

const FLOOR = 'a BullMQ worker with one named SELECT, one signed POST, one named INSERT';
const MANY = 100;

interface Delivered {
  readonly perSecond: number;
  readonly usage: Usage;
}

/**
 * Measures how fast recorded events reach their receivers, from the first arrival to the record of the last,
 * beside the floor on the same engine. Ours is the whole path: dispatch, scheduled jobs, the queue, the
 * request, a row per attempt. Each round starts its worker, so that both sides compile what they run.
 */
export async function measureDeliveries(bench: Bench, events: number): Promise<void> {
  const receivers = await openReceivers();
  try {
    await enableWebhooks(bench, receivers.url(1));
    await fill(bench.db, receivers, events);
    await fill(bench.floor.db, receivers, events);
    await bench.floor.db.query(
      `CREATE TABLE floor_deliveries (
         event_id text COLLATE "C" PRIMARY KEY, at timestamptz NOT NULL, ok boolean NOT NULL)`,
    );
    for (const endpoints of [1, MANY]) await measureEndpoints(bench, receivers, events, endpoints);
    bench.report(rowOfRepeats('one worker', receivers));
  } finally {
    receivers.close();
  }
}

async function measureEndpoints(bench: Bench, receivers: Receivers, events: number, endpoints: number) {
  const url = `'${receivers.url(0).replace('.0:', `.' || 1 + right(id, 16)::int % ${endpoints} || ':`)}'`;
  for (const db of [bench.db, bench.floor.db])
    await db.query(`UPDATE events SET callback_url = ${url} WHERE callback_url IS NOT NULL`);
  const rounds = await interleave(
    bench.rounds,
    () => measureOurs(bench, receivers, events),
    () => measureFloor(bench, receivers, events),
  );
  const rate = (side: readonly Delivered[]) => number(median(side.map(({ perSecond }) => perSecond)));
  const total = (side: readonly Delivered[]) => sumOf(side.map(({ usage }) => usage));
  const cpu = (side: readonly Delivered[], name: string) =>
    number((cpuOf(total(side), name) * 10_000) / (events * side.length));
  bench.report({
    title: `deliveries, one worker, ${endpoints} endpoint${endpoints > 1 ? 's' : ''}`,
    floor: `${FLOOR}, ${rate(rounds.floor)} per s, ${cpu(rounds.floor, 'floor')} CPU s of it per 10,000`,
    target: { atLeast: 2 },
    rounds: byRound(rounds, (ours, floor) => ours.perSecond / floor.perSecond),
    figures: `${rate(rounds.ours)} per s, ${cpu(rounds.ours, 'worker')} CPU s of the worker per 10,000`,
    limit: `${limitOf(total(rounds.ours))}; the floor by ${limitOf(total(rounds.floor))}`,
  });
}

/** Events that wait for nothing but their delivery. */
async function fill(db: Client, receivers: Receivers, events: number): Promise<void> {
  await copyPayments(db, { count: events, callbackUrl: `'${receivers.url(1)}'` });
  await settleTables(db);
}

async function measureOurs(bench: Bench, receivers: Receivers, events: number): Promise<Delivered> {
  const { db } = bench;
  await db.query('TRUNCATE scheduled_jobs, deliveries, delivery_attempts, webhook_endpoints');
  await db.query(
    `INSERT INTO scheduled_jobs (job, key, run_at, visible_at)
     SELECT 'event.fan-out', id, now(), now() FROM events WHERE callback_url IS NOT NULL`,
  );
  const delivered = await measure(
    () => startService('worker', bench.env),
    (pid) => ({ worker: [pid], Postgres: [bench.postgresPid], Redis: [bench.redisPid] }),
    receivers,
    events,
    () => count(db, `deliveries WHERE status = 'delivered'`),
  );
  const logged = await count(db, 'delivery_attempts');
  if (logged !== receivers.count())
    throw new Error(`${receivers.count()} requests have arrived, and the log has ${logged} attempts`);
  return delivered;
}

async function measureFloor({ floor, postgresPid }: Bench, receivers: Receivers, events: number) {
  await floor.db.query('TRUNCATE floor_deliveries');
  const config = readConfig(floor.env, QUEUE_NAMES);
  const engine = openQueueEngine(config, createLog(config, { process: 'bench' }));
  const queue = engine.openQueue('webhook-delivery');
  const { rows } = await floor.db.query<{ id: string }>(
    'SELECT id FROM events WHERE callback_url IS NOT NULL',
  );
  await queue.addBulk(rows.map(({ id }) => ({ name: 'floor', data: { keys: [id] } })));
  await queue.close();
  await engine.close();
  return measure(
    () => startOwn('floors/deliveries', { ...floor.env, FLOOR_SECRET: newWebhookSecret() }),
    (pid) => ({ floor: [pid], Postgres: [postgresPid], Redis: [floor.redisPid] }),
    receivers,
    events,
    () => count(floor.db, 'floor_deliveries'),
  );
}

/** Measures from the first arrival to the last and its record; the start of the process is excluded. */
async function measure(
  start: () => Promise<Service>,
  programs: (pid: number) => Programs,
  receivers: Receivers,
  events: number,
  recorded: () => Promise<number>,
): Promise<Delivered> {
  receivers.reset();
  const service = await start();
  const end = watchCpu(programs(service.pid));
  await until(
    () => receivers.count() >= events,
    () => `${receivers.count()} of ${events} events have arrived`,
  );
  const endedAt = await until(async () => (await recorded()) >= events);
  const usage = end();
  await service.stop();
  const firstAt = Math.min(...receivers.arrivedAt.values());
  return { perSecond: (events * 1000) / (endedAt - firstAt), usage };
}

async function count(db: Client, from: string): Promise<number> {
  const { rows } = await db.query<{ count: string }>(`SELECT count(*) FROM ${from}`);
  return Number(rows[0]?.count);
}
