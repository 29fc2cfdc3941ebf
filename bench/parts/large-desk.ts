import { findPayments } from '../../src/domain/exports/found.ts';
import { listPayments } from '../../src/domain/payments/list.ts';
import { MAX_FOUND, searchPayments } from '../../src/domain/payments/search.ts';
import { EXACT_TOTAL_LIMIT } from '../../src/domain/payments/totals.ts';
import { openDb, type Connection } from '../../src/platform/postgres/db.ts';
import { explain, rowsRead } from '../../test/support/explain.ts';
import type { Bench } from '../bench.ts';
import { addPeople } from '../people.ts';
import { OTHERS, RARE } from './large-fill.ts';
import { compare, time, type Side } from './large-sides.ts';

interface Sides {
  readonly ours: Side;
  readonly floor: Side;
}

/** A page of the desk; paths are below the merchant's. */
type Page = (side: Side) => string;

/** A payment of the merchant in the middle of all: it has the odd ones. */
const middleOf = ({ payments }: Side) => 1 + 2 * Math.floor(payments / 4);

const PAGES: readonly (readonly [title: string, page: Page])[] = [
  ['home, 90 days', () => '?days=90'],
  ['list', () => '/payments'],
  ['list of a rare status', () => `/payments?status=${RARE}`],
  [
    'list of two statuses and a month',
    () => `/payments?status=SETTLED&status=EXPIRED&from_date=${monthAgo()}`,
  ],
  ['search, an order id', (side) => `/payments?q=copy-${middleOf(side)}`],
  ['search, how all begin', () => '/payments?q=copy-'],
  ['search, a mail address', (side) => `/payments?q=copy-${middleOf(side)}@shop.example`],
  ['search, nothing found', () => '/payments?q=nothing'],
];

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
const monthAgo = () => daysAgo(30).toISOString().slice(0, 10);

/** The payments of a page of an export. */
const EXPORTED = 200;

/** Measures pages of the desk of the merchant with half of all, and holds the plans of its lists. */
export async function measureLargeDesk(bench: Bench, sides: Sides): Promise<void> {
  await assertPlans(bench, sides.ours);
  const { merchantId } = bench;
  const headers = new Map<Side, Readonly<Record<string, string>>>();
  for (const side of [sides.ours, sides.floor]) {
    const [cookie = ''] = await addPeople(side.db, merchantId, 1);
    headers.set(side, { cookie });
  }
  const read = (side: Side, page: Page) => () =>
    time(
      bench,
      side,
      () => ({ method: 'GET', path: `/dashboard/${merchantId}${page(side)}` }),
      headers.get(side),
    );
  for (const [title, page] of PAGES)
    await compare(bench, `desk: ${title}, at ${sides.ours.payments.toLocaleString('en-US')} payments`, {
      ours: read(sides.ours, page),
      floor: read(sides.floor, page),
      what: `at ${sides.floor.payments.toLocaleString('en-US')} payments`,
      atMost: 1.3,
    });
}

/** Throws where a search or a list reads more rows than it may, whichever plan Postgres chooses. */
async function assertPlans({ merchantId, env }: Bench, side: Side): Promise<void> {
  const url = env.DATABASE_URL ?? '';
  const db = openDb({ url, poolSize: 2, acquireMs: 10_000, queryMs: 600_000, name: 'bench' });
  const publicUrl = env.PUBLIC_URL ?? '';
  const hold = async (most: number, work: (connection: Connection) => Promise<unknown>) => {
    for (const plan of await explain(db, work))
      for (const table of ['payments', 'payment_terms', 'quotes', 'transfers', 'refunds'])
        if (rowsRead(plan, table) > most) throw new Error(`more than ${most} rows of ${table}: ${plan}`);
  };
  const middle = `copy-${middleOf(side)}`;
  const merchants = [merchantId, ...OTHERS];
  // Each of eleven branches, and what they have found.
  for (const merchant of merchants)
    for (const text of [middle, 'copy-', `${middle}@shop.example`, 'nothing', '0x1', 'pay_0'])
      await hold(12 * (MAX_FOUND + 1), (connection) => searchPayments(connection, merchant, text, publicUrl));
  const filters = [
    {},
    { status: [RARE] },
    { status: ['SETTLED', 'EXPIRED'] },
    { from_date: monthAgo() },
    { status: ['SETTLED'], from_date: monthAgo() },
  ];
  // Counted so far for each status, and the page.
  for (const merchant of merchants)
    for (const filter of filters)
      await hold(2 * (EXACT_TOTAL_LIMIT + 1) + 100, (connection) =>
        listPayments(connection, merchant, filter as Parameters<typeof listPayments>[2], publicUrl),
      );
  // A page of each status, wherever it begins: in the middle, and where statistics say that nothing is left.
  const page = { to: new Date(), afterId: '', limit: EXPORTED };
  for (const merchantId of merchants)
    for (const filter of [{}, { statuses: [RARE] }, { statuses: [RARE, 'EXPIRED'] }, { orderId: middle }])
      for (const days of [90, 45, 0])
        await hold(2 * EXPORTED, (connection) =>
          findPayments(connection, filter, { ...page, merchantId, afterTime: daysAgo(days) }),
        );
  await db.destroy();
}
