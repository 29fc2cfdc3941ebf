import type { Client } from 'pg';
import { enableWebhooks, type Bench } from '../bench.ts';
import { copyRow, settleTables } from '../fill.ts';
import { load } from '../load.ts';
import { startService } from '../processes.ts';
import { openReceivers, quantile, until, type Receivers } from '../receivers.ts';
import { byRound, interleave } from '../rounds.ts';
import { median, number } from '../table.ts';
import { limitOf, sumOf, type Programs } from '../watch.ts';
import { programsOf, steady, watched, type Latencies } from './latency.ts';

const PER_SECOND = 50;
const PATHS = [
  ['GET /v1/events', '/v1/events?limit=20'],
  ['GET /v1/webhooks/deliveries', '/v1/webhooks/deliveries?limit=20'],
] as const;

interface Side {
  readonly bench: Bench;
  readonly programs: Programs;
}

/**
 * Measures the relay, deliveries, the feed and the delivery log with so many events, deliveries and attempts
 * that have ended, beside the same with next to none.
 */
export async function measureHistory(bench: Bench, rows: number): Promise<void> {
  const receivers = await openReceivers();
  const { floor } = bench;
  const empty: Bench = {
    ...bench,
    origin: floor.origin,
    env: floor.env,
    db: floor.db,
    redisPid: floor.redisPid,
  };
  await floor.db.query('ALTER TABLE events ENABLE TRIGGER USER');
  try {
    const ours = await openSide(bench, receivers);
    const none = await openSide(empty, receivers);
    const startedAt = performance.now();
    await fill(bench.db, rows);
    const minutes = number((performance.now() - startedAt) / 60_000);
    console.log(`(the rows were made in ${minutes} minutes, and take ${await gigabytes(bench.db)} GB)`);
    const payments = bench.isQuick ? 50 : 500;
    const deliver = (side: Side) => () =>
      watched(side.programs, () => steady(side.bench, receivers, { perSecond: PER_SECOND, payments }));
    await compare(bench, rows, 'commit to receipt, 50 events a second', deliver(ours), deliver(none));
    for (const [title, path] of PATHS) await compare(bench, rows, title, read(ours, path), read(none, path));
  } finally {
    receivers.close();
  }
}

/** Its processes, after the delivery of some events, whose rows are copied. */
async function openSide(bench: Bench, receivers: Receivers): Promise<Side> {
  await enableWebhooks(bench, receivers.url(1));
  const web = await startService('web', bench.env);
  const worker = await startService('worker', bench.env);
  await steady(bench, receivers, { perSecond: PER_SECOND, payments: 100 });
  const pending = async () => {
    const { rows } = await bench.db.query(`SELECT FROM deliveries WHERE status = 'pending'`);
    return rows.length;
  };
  await until(async () => (await pending()) === 0, pending);
  return { bench, programs: programsOf(bench, web.pid, worker.pid) };
}

async function gigabytes(db: Client): Promise<string> {
  const { rows } = await db.query<{ size: string }>('SELECT pg_database_size(current_database()) AS size');
  return number(Number(rows[0]?.size) / 2 ** 30);
}

async function fill(db: Client, count: number): Promise<void> {
  const idOf = (column: string, prefix: string) =>
    `'${prefix}_' || substr(${column}, 5, 10) || lpad(i::text, 16, '0')`;
  await copyRow(
    db,
    'events',
    { count },
    {
      id: idOf('t.id', 'evt'),
      sequence: 'i + 1',
      txid: 'pg_current_xact_id()',
    },
  );
  await copyRow(
    db,
    'deliveries',
    { count },
    {
      id: idOf('t.id', 'dlv'),
      event_id: idOf('t.event_id', 'evt'),
      sequence: 'i + 1',
    },
  );
  await copyRow(db, 'delivery_attempts', { count }, { delivery_id: idOf('t.delivery_id', 'dlv') });
  await settleTables(db);
}

function read({ bench, programs }: Side, path: string): () => Promise<Latencies> {
  return () =>
    watched(programs, async () => {
      const count = bench.isQuick ? 5 : 200;
      const next = () => ({ method: 'GET' as const, path });
      return [(await load(bench.origin, { headers: bench.headers, connections: 1, count, next })).p50];
    });
}

async function compare(
  bench: Bench,
  rows: number,
  title: string,
  ours: () => Promise<Latencies>,
  floor: () => Promise<Latencies>,
): Promise<void> {
  const rounds = await interleave(bench.rounds, ours, floor);
  const p50 = ({ all }: Latencies) => quantile(all, 0.5);
  bench.report({
    title: `${title}, at ${rows.toLocaleString('en-US')} events, p50`,
    floor: `at some hundred, ${number(median(rounds.floor.map(p50)))} ms`,
    target: { atMost: 1.3, unit: 'x' },
    rounds: byRound(rounds, (one, other) => p50(one) / p50(other)),
    figures: `${number(median(rounds.ours.map(p50)))} ms`,
    limit: limitOf(sumOf(rounds.ours.map(({ usage }) => usage))),
  });
}
