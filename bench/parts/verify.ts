import { LIBRARY_NAMES } from '../../src/domain/sandbox/scenarios/library-names.ts';
import type { Bench } from '../bench.ts';
import { load } from '../load.ts';
import { residentMegabytes, runToEnd, startService } from '../processes.ts';
import { limitOf, watchCpu, type Usage } from '../watch.ts';

/** Every table of a payment, in an order in which foreign keys hold. */
const TABLES = [
  'payments',
  'quotes',
  'transfers',
  'refunds',
  'refund_addresses',
  'conversions',
  'ledger_entries',
  'events',
  'deliveries',
  'delivery_attempts',
  'receipts',
  'address_requests',
  'scheduled_jobs',
] as const;
/** Statements of a minute or so, however many payments there are. */
const COPIES_A_STATEMENT = 2_000;
const WATCH_MS = 100;

/**
 * Measures `npm run ops -- verify` over a database of at least so many payments: copies of those of the
 * sandbox's library, with all that belongs to them, so that every invariant has something to read.
 */
export async function measureVerify(bench: Bench, payments: number): Promise<void> {
  await runLibrary(bench);
  // Events get new places in the feed, in the order of their copies: that of one payment's events is kept.
  for (const table of TABLES)
    await bench.db.query(
      `CREATE TABLE originals_${table} AS SELECT to_jsonb(r)::text AS row FROM ${table} r
       ${table === 'events' ? 'ORDER BY txid, place' : ''}`,
    );
  const copies = Math.ceil(payments / LIBRARY_NAMES.length);
  for (let from = 1; from <= copies; from += COPIES_A_STATEMENT)
    for (const table of TABLES)
      await copy(bench, table, from, Math.min(copies, from + COPIES_A_STATEMENT - 1));
  await bench.db.query('ANALYZE');
  const { rows } = await bench.db.query<{ payments: number; events: number }>(
    'SELECT (SELECT count(*)::int FROM payments) AS payments, (SELECT count(*)::int FROM events) AS events',
  );
  const [{ payments: count, events } = { payments: 0, events: 0 }] = rows;
  const { seconds, megabytes, usage } = await verify(bench);
  const figures = `${count} payments with ${events} events in ${seconds.toFixed(1)} s`;
  bench.report({
    title: 'payments that verify reads a second',
    floor: '',
    target: { atLeast: 800 },
    rounds: [count / seconds],
    figures,
    limit: limitOf(usage),
  });
  bench.report({
    title: 'memory of verify',
    floor: '',
    target: { atMost: 200, unit: ' MB' },
    rounds: [megabytes],
    figures,
    limit: 'nothing: the largest is judged',
  });
}

/** One payment of each scenario, whose deliveries have ended. */
async function runLibrary({ db, env, headers, origin }: Bench): Promise<void> {
  await db.query('TRUNCATE payments, events, deliveries, delivery_attempts, scheduled_jobs CASCADE');
  const web = await startService('web', env);
  await load(origin, {
    headers,
    connections: 1,
    count: LIBRARY_NAMES.length,
    next: (index) => ({
      method: 'POST',
      path: '/v1/sandbox/scenarios',
      body: JSON.stringify({ story: LIBRARY_NAMES[index % LIBRARY_NAMES.length] }),
    }),
  });
  await web.stop();
  await db.query('TRUNCATE scenario_runs');
}

/** Copies the rows of a table under ids that end in the number of the copy. */
async function copy({ db }: Bench, table: string, from: number, until: number): Promise<void> {
  const token = table === 'payments' ? ` || jsonb_build_object('token_id', md5(row) || i)` : '';
  // As a function of its own row: `(f(row)).*` would call it once for each column.
  await db.query(
    `INSERT INTO ${table} OVERRIDING USER VALUE
     SELECT c.* FROM originals_${table}, generate_series($1::int, $2::int) AS i,
       jsonb_populate_record(NULL::${table}, regexp_replace(row,
         '((?:pay|evt|dlv|ref)_[0-9A-Z]{18})[0-9A-Z]{8}', '\\1' || lpad(i::text, 8, '0'), 'g')::jsonb${token}) c`,
    [from, until],
  );
}

async function verify({ env, postgresPid }: Bench) {
  const startedAt = performance.now();
  let megabytes = 0;
  let usage: Usage = { seconds: 0, cpu: {} };
  const watch = (pid: number) => {
    const end = watchCpu({ verify: [pid], Postgres: [postgresPid] });
    return setInterval(() => {
      const now = residentMegabytes(pid);
      if (Number.isNaN(now)) return;
      megabytes = Math.max(megabytes, now);
      usage = end();
    }, WATCH_MS);
  };
  // It fails on offenders, and its output names them: there are none among copies of sound payments.
  await runToEnd('ops', env, { args: ['verify', '--json'], watch });
  return { seconds: (performance.now() - startedAt) / 1_000, megabytes, usage };
}
