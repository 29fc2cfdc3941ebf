import { CONNECTIONS, type Bench } from '../bench.ts';
import { copyPayments, settleTables } from '../fill.ts';
import { load, type LoadRequest } from '../load.ts';
import { measureBoth, reportRate, startSides } from './requests.ts';

/** Requests for each payment: a list costs more than a read, so there are fewer. */
const REQUESTS = 2_000;

/**
 * Measures the first page of a merchant with so many payments, with its total, beside 20 rows by the same
 * index.
 */
export async function measureLists(bench: Bench, payments: number): Promise<void> {
  for (const db of [bench.db, bench.floor.db]) {
    await copyPayments(db, { count: payments });
    await settleTables(db);
  }
  const sides = await startSides(bench);
  const list = (): LoadRequest => ({ method: 'GET', path: '/v1/payments?limit=20' });
  const count = Math.min(REQUESTS, payments);
  for (const { origin } of Object.values(sides))
    await load(origin, { headers: bench.headers, count, connections: CONNECTIONS, next: list });
  const rounds = await measureBoth(bench, sides, { count, connections: CONNECTIONS, next: () => list });
  reportRate(
    bench,
    `GET /v1/payments?limit=20, of ${payments.toLocaleString('en-US')} payments`,
    rounds,
    0.6,
  );
}
