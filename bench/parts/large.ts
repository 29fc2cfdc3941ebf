import type { Client } from 'pg';
import type { Bench } from '../bench.ts';
import { load, type LoadRequest } from '../load.ts';
import { startService } from '../processes.ts';
import { number } from '../table.ts';
import { measureLargeDesk } from './large-desk.ts';
import { fillLarge } from './large-fill.ts';
import { compare, time, type Side } from './large-sides.ts';

const SMALL = 10_000;
/** A page far down, by number and by cursor. */
const FAR = 1_000;

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
  await measureLargeDesk(bench, sides);
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
  ['GET /v1/payments of a status', () => () => get('/v1/payments?limit=20&status=SETTLED')],
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
  await fillLarge(db, bench.merchantId, payments);
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
