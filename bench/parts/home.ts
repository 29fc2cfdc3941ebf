import type { Client } from 'pg';
import { countOnce } from '../../src/domain/overview/counts/count.ts';
import { openDb } from '../../src/platform/postgres/db.ts';
import type { Bench } from '../bench.ts';
import { copyPayments, settleTables } from '../fill.ts';
import { load } from '../load.ts';
import { addPeople } from '../people.ts';
import { startService } from '../processes.ts';
import { interleave } from '../rounds.ts';
import { median, number } from '../table.ts';
import { cpuOf, limitOf, sumOf, watchCpu } from '../watch.ts';

const SMALL = 10_000;
const OTHERS = 99;
const DAYS = 90;
/** Payments since the job counted last, at most a minute ago: what the page counts itself. */
const UNCOUNTED = 200;
const REQUESTS = 100;

/**
 * Measures the desk's home page of a merchant with half of so many payments, of the last 90 days, and how
 * fast the job counts what nobody has counted yet. The same page at 10,000 payments stands beside it.
 */
export async function measureHome(bench: Bench, payments: number): Promise<void> {
  const small = Math.min(SMALL, payments);
  const ours = await openSide(bench, bench.db, bench.env, payments);
  const floor = await openSide(bench, bench.floor.db, bench.floor.env, small);
  reportBacklog(bench, ours);
  const at = (origin: string, side: Side) => () => timeHome(bench, origin, side);
  const [read, readSmall] = [at(bench.origin, ours), at(bench.floor.origin, floor)];
  await Promise.all([read(), readSmall()]);
  const rounds = await interleave(bench.rounds, read, readSmall);
  const usage = sumOf(rounds.ours.map((one) => one.usage));
  const cpuMs = (name: string) =>
    number((cpuOf(usage, name) * 1_000) / (rounds.ours.length * requestsOf(bench)));
  const p50 = (side: readonly { readonly p50: number }[]) => number(median(side.map((one) => one.p50)));
  bench.report({
    title: `home of a merchant with half of ${payments.toLocaleString('en-US')} payments, ${DAYS} days, p50`,
    floor: '',
    target: { atMost: 100, unit: ' ms' },
    rounds: rounds.ours.map((one) => one.p50),
    figures: `${ours.rows.toLocaleString('en-US')} rows of counts, ${UNCOUNTED} payments not counted yet; CPU of a page: web ${cpuMs('web')} ms, Postgres ${cpuMs('Postgres')} ms; at ${small.toLocaleString('en-US')} payments ${p50(rounds.floor)} ms`,
    limit: limitOf(usage),
  });
}

interface Side {
  readonly web: number;
  readonly cookie: string;
  readonly events: number;
  readonly seconds: number;
  /** Of payment_counts. */
  readonly rows: number;
}

/** A database of so many payments over 90 days, nearly all settled and counted, and its web process. */
async function openSide(bench: Bench, db: Client, env: NodeJS.ProcessEnv, payments: number): Promise<Side> {
  await db.query('ALTER TABLE events ENABLE TRIGGER USER');
  await db.query(
    `INSERT INTO merchants SELECT (jsonb_populate_record(m, jsonb_build_object('id', 'mer_home_' || i, 'name', 'Home ' || i))).*
     FROM merchants m, generate_series(1, ${OTHERS}) AS i WHERE m.id = $1`,
    [bench.merchantId],
  );
  await fill(db, bench.merchantId, 1, payments);
  await settleTables(db);
  const service = openDb({
    url: env.DATABASE_URL ?? '',
    poolSize: 2,
    acquireMs: 10_000,
    queryMs: 60_000,
    name: 'bench',
  });
  const startedAt = performance.now();
  let events = 0;
  for (let counted = -1; counted !== 0; events += counted) counted = await countOnce({ db: service });
  const seconds = (performance.now() - startedAt) / 1_000;
  await fill(db, bench.merchantId, payments + 1, UNCOUNTED);
  await settleTables(db);
  const [cookie = ''] = await addPeople(db, bench.merchantId, 1);
  const rows = await service('payment_counts')
    .where({ merchant_id: bench.merchantId })
    .count<{ count: string }[]>();
  await service.destroy();
  const { pid: web } = await startService('web', env);
  return { web, cookie, events, seconds, rows: Number(rows[0]?.count ?? 0) };
}

/** Payments from one number on, over 90 days: half are the merchant's, and nine of ten settle. */
async function fill(db: Client, merchantId: string, from: number, count: number): Promise<void> {
  const last = from + count - 1;
  const step = `${last} - i) * interval '${DAYS} days' / ${last}`;
  await copyPayments(db, {
    from,
    count,
    merchant: `CASE WHEN i % 2 = 1 THEN '${merchantId}' ELSE 'mer_home_' || 1 + (i / 2) % ${OTHERS} END`,
    createdAt: `now() - (${step}`,
    payment: {
      status: `CASE WHEN i % 20 > 1 THEN 'SETTLED' ELSE 'EXPIRED' END`,
      settled_at: `CASE WHEN i % 20 > 1 THEN now() - (${step} + (20 + i % 600) * interval '1 second' END`,
      actually_paid: `CASE WHEN i % 20 > 1 THEN t.pay_amount END`,
      actually_paid_currency: `CASE WHEN i % 20 > 1 THEN t.pay_currency END`,
    },
  });
  await db.query(
    `INSERT INTO events (id, payment_id, merchant_id, sequence, type, body, created_at, txid)
     SELECT 'evt_S' || substr(e.id, 6), e.payment_id, e.merchant_id, 2, 'checkout.settled', e.body, p.settled_at, pg_current_xact_id()
     FROM payments p JOIN events e ON e.payment_id = p.id
     WHERE right(p.id, 16) BETWEEN lpad($1::text, 16, '0') AND lpad($2::text, 16, '0') AND p.settled_at IS NOT NULL`,
    [from, last],
  );
}

function reportBacklog(bench: Bench, { events, seconds }: Side): void {
  bench.report({
    title: 'events that the job counts a second, none of them counted before',
    floor: '',
    target: { none: true },
    rounds: [events / seconds],
    figures: `${events.toLocaleString('en-US')} events in ${seconds.toFixed(1)} s`,
    limit: 'not watched',
  });
}

const requestsOf = ({ isQuick }: Bench) => (isQuick ? 5 : REQUESTS);

async function timeHome(bench: Bench, origin: string, { web, cookie }: Side) {
  const end = watchCpu({ web: [web], Postgres: [bench.postgresPid] });
  const { p50 } = await load(origin, {
    headers: { cookie },
    connections: 1,
    count: requestsOf(bench),
    next: () => ({ method: 'GET', path: `/dashboard/${bench.merchantId}?days=${DAYS}` }),
  });
  return { p50, usage: end() };
}
