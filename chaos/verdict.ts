import type { Status } from '../src/domain/payments/lifecycle/states.ts';
import { listPayments, type Orders } from './orders.ts';
import type { Shop } from './shops.ts';
import { readTruth, type Truth } from './database.ts';

const OPEN = new Set<string>(['WAITING', 'PENDING', 'PROCESSING'] satisfies Status[]);

/** What the run came to. */
export interface Verdict {
  /** What is wrong; empty: all is well. */
  readonly faults: readonly string[];
  /** The printed table. */
  readonly counts: Readonly<Record<string, number>>;
}

/** Compares what the clients received, what Postgres holds and what the receivers have taken. */
export async function judge(
  databaseUrl: string,
  origin: string,
  shops: readonly Shop[],
  orders: Orders,
): Promise<Verdict> {
  const truth = await readTruth(databaseUrl);
  const faults = [...orders.faults, ...shops.flatMap(({ book }) => book.faults)];
  const listed = (await Promise.all(shops.map((shop) => listPayments(origin, shop, faults)))).flat();
  judgePayments(orders, listed, truth, faults);
  const { arrived, lost } = judgeEvents(shops, truth, faults);
  const again = (some: readonly Shop[]) =>
    some.flatMap(({ book }) => [...book.taken.values()]).reduce((sum, { times }) => sum + times - 1, 0);
  return {
    faults,
    counts: {
      payments: truth.payments.length,
      'requests that were sent again': orders.retries,
      events: truth.events.length,
      deliveries: truth.counts.deliveries,
      attempts: truth.counts.attempts,
      'requests at the receivers': shops.reduce((sum, { book }) => sum + book.requests(), 0),
      'taken by the receivers': arrived + again(shops),
      lost,
      duplicates: again(shops),
      'duplicates where answers are cut': again(shops.filter(({ mood }) => mood === 'cut')),
    },
  };
}

/** Every 201 is one payment, there are no others, and each has come to its end with all its events. */
function judgePayments(
  { created }: Orders,
  listed: readonly { id: string; status: string }[],
  { payments, gaps, counts }: Truth,
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

/** Each event was taken by the receiver of its merchant, as Postgres holds it, and there were no others. */
function judgeEvents(
  shops: readonly Shop[],
  { events }: Truth,
  faults: string[],
): { arrived: number; lost: number } {
  const shopOf = new Map(shops.map((shop) => [shop.merchantId, shop]));
  let lost = 0;
  for (const { id, merchant_id, body } of events) {
    const shop = shopOf.get(merchant_id);
    const taken = shop?.book.taken.get(id);
    if (taken === undefined) {
      lost += 1;
      faults.push(`${id} never arrived at the shop whose receiver is ${shop?.mood}`);
    } else if (taken.body !== body) faults.push(`${id} arrived with another body than Postgres holds`);
  }
  const known = new Set(events.map(({ id }) => id));
  const arrived = shops.flatMap(({ book }) => [...book.taken.keys()]);
  for (const id of arrived) if (!known.has(id)) faults.push(`${id} arrived, and Postgres does not know it`);
  return { arrived: arrived.length, lost };
}

/** Both must be the same payments, each once. */
function compare(
  who: string,
  known: ReadonlySet<string>,
  rows: readonly { id: string }[],
  faults: string[],
): void {
  const ids = new Set(rows.map(({ id }) => id));
  if (ids.size !== rows.length) faults.push(`${who} a payment twice`);
  for (const id of known) if (!ids.has(id)) faults.push(`${who} no ${id}, which was answered with 201`);
  for (const id of ids) if (!known.has(id)) faults.push(`${who} ${id}, of which no 201 spoke`);
}
