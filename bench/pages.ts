import { Agent, request, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { COLUMN, TITLE, type Bench } from './bench.ts';
import { load } from './load.ts';
import { cpuSeconds, residentMegabytes, startService } from './processes.ts';

const PAGES = 5_000;
const PAYMENTS = 50_000;
/** Pages whose payments change, one by one, spread over the intervals. */
const CHANGES = 200;
const OPEN_AT_ONCE = 50;
const QUIET_SECONDS = 10;

/** Measures the cost of open checkout pages for web and Postgres, and how soon a page shows a change. */
export async function benchPages(bench: Bench): Promise<void> {
  await fill(bench);
  const web = await startService('web', bench.env);
  try {
    const before = residentMegabytes(web.pid);
    const listeners = new Map<number, () => void>();
    const close = await openPages(bench, (page) => listeners.get(page)?.());
    // Backends report their statistics within 10 s of becoming idle.
    await sleep(12_000);
    const cpu = [cpuSeconds(web.pid), cpuSeconds(bench.postgresPid)] as const;
    const transactions = await transactionsWithin(bench, QUIET_SECONDS);
    const perSecond = [cpuSeconds(web.pid) - cpu[0], cpuSeconds(bench.postgresPid) - cpu[1]].map(
      (seconds) => `${((seconds * 1_000) / QUIET_SECONDS).toFixed(0)} ms`,
    );
    const kilobytes = ((residentMegabytes(web.pid) - before) * 1_024) / PAGES;
    row('memory per open page', `${kilobytes.toFixed(1)} kB`, `(${PAGES} pages, with their sockets)`);
    row('transactions per second', transactions.toFixed(1), `(all pages together, of ${PAYMENTS} payments)`);
    row('Postgres CPU per second', perSecond[1] ?? '', '');
    row('web CPU per second', perSecond[0] ?? '', '');
    const delays = await delaysOf(bench, listeners);
    const at = (share: number) => `${(delays[Math.floor((delays.length - 1) * share)] ?? 0).toFixed(0)} ms`;
    row('commit to page, p50', at(0.5), '');
    row('commit to page, p99', at(0.99), `(of ${CHANGES} changes)`);
    close();
  } finally {
    await web.stop();
  }
}

function row(title: string, value: string, note: string): void {
  console.log(`${title.padEnd(TITLE)}${value.padStart(COLUMN)}   ${note}`);
}

/**
 * Copies one payment, with its quote; the pages show the first ones, a fifth of which wait for confirmations.
 */
async function fill({ origin, headers, db, env }: Bench): Promise<void> {
  const web = await startService('web', env);
  const next = () => ({
    method: 'POST' as const,
    path: '/v1/payment',
    body: '{"pay_amount":"10.50","order_id":"page"}',
  });
  let id = '';
  await load(origin, {
    headers,
    connections: 1,
    count: 1,
    next,
    onAnswer: (body) => {
      ({ id } = JSON.parse(body) as { id: string });
    },
  });
  await web.stop();
  const suffix = `lpad(i::text, 22, '0')`;
  const copy = (table: string, column: string, changed: string) =>
    db.query(
      `INSERT INTO ${table} SELECT (jsonb_populate_record(r, jsonb_build_object(${changed}))).*
       FROM ${table} r, generate_series(1, ${PAYMENTS}) AS i WHERE r.${column} = $1`,
      [id],
    );
  await copy(
    'payments',
    'id',
    `'id', 'pay_01KF' || ${suffix}, 'token_id', 'page_of_the_bench_' || i, 'fully_funded', i % 5 = 0`,
  );
  await copy('quotes', 'payment_id', `'payment_id', 'pay_01KF' || ${suffix}, 'address', '0x' || ${suffix}`);
  await db.query(
    `INSERT INTO transfers (payment_id, network, tx_hash, coin, amount, credit, seen_at, block_height)
     SELECT 'pay_01KF' || ${suffix}, 'ethereum', 'page' || i, 'USDC', 1, 1, now(), 1 FROM generate_series(5, ${PAYMENTS}, 5) AS i`,
  );
  await db.query('ANALYZE');
}

/** Opens the pages 1 to PAGES, each on its own connection, and waits for the first event of each. */
async function openPages({ origin }: Bench, onUpdate: (page: number) => void): Promise<() => void> {
  const agent = new Agent({ maxSockets: Infinity });
  const open = async (page: number) => {
    const outgoing = request(`${origin}/checkout/page_of_the_bench_${page}/events`, { agent });
    outgoing.on('error', () => undefined).end();
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    if (response.statusCode !== 200)
      throw new Error(`the stream of page ${page} answered ${response.statusCode}`);
    await once(response, 'data');
    response.on('data', (chunk: Buffer) => chunk.includes('id: ') && onUpdate(page));
    response.on('error', () => undefined);
  };
  let next = 1;
  const client = async () => {
    while (next <= PAGES) await open(next++);
  };
  await Promise.all(Array.from({ length: OPEN_AT_ONCE }, client));
  return () => agent.destroy();
}

/** Returns the transactions per second of an idle web process: each statement of a poll is one. */
async function transactionsWithin({ db }: Bench, seconds: number): Promise<number> {
  const count = async () => {
    const { rows } = await db.query<{ commits: string }>(
      `SELECT xact_commit AS commits FROM pg_stat_database WHERE datname = current_database()`,
    );
    return { commits: Number(rows[0]?.commits), at: performance.now() };
  };
  const begin = await count();
  await sleep(seconds * 1_000);
  const end = await count();
  // One of them is the first count's own.
  return ((end.commits - begin.commits - 1) * 1_000) / (end.at - begin.at);
}

/** Returns the milliseconds from each commit to its event on the page stream, sorted. */
async function delaysOf({ db }: Bench, listeners: Map<number, () => void>): Promise<number[]> {
  const delays: number[] = [];
  for (let n = 0; n < CHANGES; n += 1) {
    const page = 1 + n * Math.floor(PAGES / CHANGES);
    const received = new Promise<number>((resolve) => listeners.set(page, () => resolve(performance.now())));
    await db.query(`UPDATE payments SET sequence = sequence + 1 WHERE token_id = $1`, [
      `page_of_the_bench_${page}`,
    ]);
    const committedAt = performance.now();
    void received.then((at) => delays.push(at - committedAt));
    // Random, so that commits are not in phase with the polls.
    await sleep(Math.random() * 200);
  }
  const giveUpAt = performance.now() + 30_000;
  while (delays.length < CHANGES) {
    if (performance.now() > giveUpAt) throw new Error(`${CHANGES - delays.length} pages got no event`);
    await sleep(50);
  }
  return delays.sort((a, b) => a - b);
}
