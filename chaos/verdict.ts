import { verify as verifyDatabase } from '../src/domain/ops/verify/verify.ts';
import type { Status } from '../src/domain/payments/lifecycle/states.ts';
import { listPayments, type Orders } from './orders.ts';
import { PATIENCE_MS } from './requests.ts';
import type { Shop } from './shops.ts';
import { openDb } from '../src/platform/postgres/db.ts';
import { readState, type DatabaseState } from './database.ts';

const OPEN = new Set<string>(['WAITING', 'PENDING', 'PROCESSING'] satisfies Status[]);

/** The result of the run. */
export interface Verdict {
  /** Every violation; empty: the run passed. */
  readonly faults: readonly string[];
  /** The printed table. */
  readonly counts: Readonly<Record<string, number>>;
}

/** Compares what the clients received, what Postgres stores and what the receivers accepted. */
export async function verify(
  databaseUrl: string,
  origin: string,
  shops: readonly Shop[],
  orders: Orders,
): Promise<Verdict> {
  const state = await readState(databaseUrl);
  const faults = [...orders.faults, ...shops.flatMap(({ log }) => log.faults)];
  const listed = (await Promise.all(shops.map((shop) => listPayments(origin, shop, faults)))).flat();
  verifyPayments(orders, listed, state, faults);
  const { arrived, lost } = verifyEvents(shops, state, faults);
  faults.push(...(await findOffenders(databaseUrl)));
  const again = (some: readonly Shop[]) =>
    some.flatMap(({ log }) => [...log.taken.values()]).reduce((sum, { times }) => sum + times - 1, 0);
  return {
    faults,
    counts: {
      payments: state.payments.length,
      'requests that were sent again': orders.retries,
      events: state.events.length,
      deliveries: state.counts.deliveries,
      attempts: state.counts.attempts,
      'requests at the receivers': shops.reduce((sum, { log }) => sum + log.requests(), 0),
      'taken by the receivers': arrived + again(shops),
      lost,
      duplicates: again(shops),
      'duplicates where answers are cut': again(shops.filter(({ behaviour }) => behaviour === 'cut')),
    },
  };
}

const NO_WALLETS = { secretsKeys: [] };

/** What `npm run ops -- verify` finds: every invariant, over the whole database. */
export async function findOffenders(databaseUrl: string): Promise<string[]> {
  const limits = { poolSize: 1, acquireMs: PATIENCE_MS, queryMs: PATIENCE_MS };
  const db = openDb({ url: databaseUrl, name: 'chaos verify', ...limits });
  try {
    const { invariants, parked } = await verifyDatabase(
      { db, now: () => new Date(), config: NO_WALLETS },
      { since: null },
    );
    const offenders = invariants.flatMap(({ name, examples }) =>
      examples.map(({ id, detail }) => `verify, ${name}: ${id}: ${detail}`),
    );
    return parked > 0 ? [...offenders, `${parked} jobs are parked`] : offenders;
  } finally {
    await db.destroy();
  }
}

/** Every 201 is one payment, there are no others, and each is final with all its events. */
function verifyPayments(
  { created }: Orders,
  listed: readonly { id: string; status: string }[],
  { payments, gaps, counts }: DatabaseState,
  faults: string[],
): void {
  const known = new Set([...created.values()].map(({ id }) => id));
  compare('the API lists', known, listed, faults);
  compare('Postgres holds', known, payments, faults);
  if (known.size !== created.size)
    faults.push(`${created.size - known.size} payments were given to two orders`);
  for (const { id, status } of payments) if (OPEN.has(status)) faults.push(`${id} is still ${status}`);
  for (const { payment_id } of gaps) faults.push(`the events of ${payment_id} have a gap`);
  if (counts.failed > 0) faults.push(`${counts.failed} deliveries were given up`);
}

/** Each event was accepted by its merchant's receiver, as Postgres stores it, and there were no others. */
function verifyEvents(
  shops: readonly Shop[],
  { events }: DatabaseState,
  faults: string[],
): { arrived: number; lost: number } {
  const shopOf = new Map(shops.map((shop) => [shop.merchantId, shop]));
  let lost = 0;
  for (const { id, merchant_id, body } of events) {
    const shop = shopOf.get(merchant_id);
    const taken = shop?.log.taken.get(id);
    if (taken === undefined) {
      lost += 1;
      faults.push(`${id} never arrived at the shop whose receiver is ${shop?.behaviour}`);
    } else if (taken.body !== body) faults.push(`${id} arrived with another body than Postgres holds`);
  }
  const known = new Set(events.map(({ id }) => id));
  const arrived = shops.flatMap(({ log }) => [...log.taken.keys()]);
  for (const id of arrived) if (!known.has(id)) faults.push(`${id} arrived, and Postgres does not know it`);
  return { arrived: arrived.length, lost };
}

/** Both must contain the same payments, each once. */
function compare(
  who: string,
  known: ReadonlySet<string>,
  rows: readonly { id: string }[],
  faults: string[],
): void {
  const ids = new Set(rows.map(({ id }) => id));
  if (ids.size !== rows.length) faults.push(`${who} a payment twice`);
  for (const id of known) if (!ids.has(id)) faults.push(`${who} no ${id}, which was answered with 201`);
  for (const id of ids) if (!known.has(id)) faults.push(`${who} ${id}, which no client created`);
}
