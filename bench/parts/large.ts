import type { Client } from 'pg';
import type { Bench } from '../bench.ts';
import { copyPayments, settleTables } from '../fill.ts';
import { load, type LoadRequest } from '../load.ts';
import { startService, type Service } from '../processes.ts';
import { byRound, interleave } from '../rounds.ts';
import { median, number } from '../table.ts';
import { limitOf, sumOf, watchCpu, type Usage } from '../watch.ts';

const SMALL = 10_000;
const MERCHANTS = 100;
/** A page far down, by number and by cursor. */
const FAR = 1_000;
/** Requests of one round, on one connection: latency, not throughput. */
const REQUESTS = 200;

/** A database with its web process. */
interface Side {
  readonly origin: string;
  readonly service: Service;
  readonly payments: number;
  readonly db: Client;
  /** A cursor of the merchant's list after so many pages. */
  readonly cursors: ReadonlyMap<number, string>;
}

interface Timed {
  readonly p50: number;
  readonly usage: Usage;
}

/**
 * Measures the same requests on a database of so many payments as on one of 10,000. Both have 100 merchants,
 * of which the one that asks has half of all.
 */
export async function measureLarge(bench: Bench, payments: number): Promise<void> {
  const sides = {
    ours: await openSide(bench, bench.db, bench.origin, bench.env, payments),
    floor: await openSide(
      bench,
      bench.floor.db,
      bench.floor.origin,
      bench.floor.env,
      Math.min(SMALL, payments),
    ),
  };
  for (const [title, next] of REQUESTS_OF_BOTH)
    await compare(bench, `${title}, at ${payments.toLocaleString('en-US')} payments`, {
      ours: () => time(bench, sides.ours, next(sides.ours)),
      floor: () => time(bench, sides.floor, next(sides.floor)),
      what: `at ${sides.floor.payments.toLocaleString('en-US')} payments`,
      atMost: 1.3,
    });
  const { ours } = sides;
  const far = Math.min(FAR, Math.floor(payments / 2 / 20));
  await compare(bench, `page ${far.toLocaleString('en-US')} by number`, {
    ours: () => time(bench, ours, () => get(`/v1/payments?limit=20&page=${far}`)),
    floor: () => time(bench, ours, () => get('/v1/payments?limit=20')),
    what: 'page 1',
    atMost: 10,
  });
  await compare(bench, `page ${far.toLocaleString('en-US')} of a walk by cursor`, {
    ours: () => time(bench, ours, () => byCursor(ours, far)),
    floor: () => time(bench, ours, () => byCursor(ours, 1)),
    what: 'page 2',
    atMost: 1.3,
  });
}

const get = (path: string): LoadRequest => ({ method: 'GET', path });
const byCursor = ({ cursors }: Side, page: number) =>
  get(`/v1/payments?limit=20&cursor=${cursors.get(page)}`);
let created = 0;

/** Of the merchant with half of all payments; those of `copyPayments` have known ids and orders. */
const REQUESTS_OF_BOTH: readonly (readonly [string, (side: Side) => (index: number) => LoadRequest])[] = [
  [
    'POST /v1/payment',
    () => () => ({
      method: 'POST',
      path: '/v1/payment',
      body: JSON.stringify({ pay_amount: '10.50', order_id: `large-${(created += 1)}` }),
    }),
  ],
  ['GET /v1/payments', () => () => get('/v1/payments?limit=20')],
  ['GET /v1/payments of a status', () => () => get('/v1/payments?limit=20&status=WAITING')],
  [
    'GET /v1/payments of an order',
    ({ payments }) =>
      (index) =>
        get(`/v1/payments?order_id=copy-${1 + 2 * ((index * 7_919) % Math.floor(payments / 2))}`),
  ],
  ['GET /v1/events, first page', () => () => get('/v1/events?limit=20')],
];

async function openSide(
  bench: Bench,
  db: Client,
  origin: string,
  env: NodeJS.ProcessEnv,
  payments: number,
): Promise<Side> {
  const startedAt = performance.now();
  await db.query(
    `INSERT INTO merchants SELECT (jsonb_populate_record(m, jsonb_build_object('id', 'mer_large_' || i, 'name', 'Large ' || i))).*
     FROM merchants m, generate_series(2, ${MERCHANTS}) AS i WHERE m.id = $1`,
    [bench.merchantId],
  );
  const merchant = `CASE WHEN i % 2 = 1 THEN '${bench.merchantId}' ELSE 'mer_large_' || 2 + (i / 2) % ${MERCHANTS - 1} END`;
  await copyPayments(db, { count: payments, merchant });
  await db.query('ALTER TABLE events ENABLE TRIGGER USER');
  await settleTables(db);
  const minutes = number((performance.now() - startedAt) / 60_000);
  console.log(`(${payments.toLocaleString('en-US')} payments were made in ${minutes} minutes)`);
  const service = await startService('web', env);
  const pages = Math.min(FAR, Math.floor(payments / 2 / 20));
  return { origin, service, payments, db, cursors: await walk(bench, origin, pages) };
}

/** Walks a list by its cursors, and returns those of its second page and of the last. */
async function walk({ headers }: Bench, origin: string, pages: number): Promise<Map<number, string>> {
  const cursors = new Map<number, string>();
  let cursor = '';
  for (let page = 1; page <= pages; page += 1) {
    const path = `/v1/payments?limit=20${cursor === '' ? '' : `&cursor=${cursor}`}`;
    const onAnswer = (body: string) => {
      cursor = (JSON.parse(body) as { pagination: { next_cursor: string } }).pagination.next_cursor;
    };
    await load(origin, { headers, connections: 1, count: 1, next: () => get(path), onAnswer });
    if (page === 1 || page === pages) cursors.set(page, cursor);
  }
  return cursors;
}

async function time(bench: Bench, side: Side, next: (index: number) => LoadRequest): Promise<Timed> {
  const count = bench.isQuick ? 5 : REQUESTS;
  const end = watchCpu({
    web: [side.service.pid],
    Postgres: [bench.postgresPid],
  });
  const { p50 } = await load(side.origin, { headers: bench.headers, connections: 1, count, next });
  return { p50, usage: end() };
}

async function compare(
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
  bench.report({
    title: `${title}, p50`,
    floor: `${what}, ${p50(rounds.floor)} ms`,
    target: { atMost, unit: 'x' },
    rounds: byRound(rounds, (one, other) => one.p50 / other.p50),
    figures: `${p50(rounds.ours)} ms`,
    limit: limitOf(sumOf(rounds.ours.map(({ usage }) => usage))),
  });
}
