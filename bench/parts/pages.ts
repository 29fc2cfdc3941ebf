import { Agent, request, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench } from '../bench.ts';
import { copyPayments } from '../fill.ts';
import { residentMegabytes, startService } from '../processes.ts';
import { quantile } from '../receivers.ts';
import { number } from '../table.ts';
import { cpuOf, limitOf, watchCpu } from '../watch.ts';

const PAYMENTS_PER_PAGE = 10;
/** Pages whose payments change, one by one, spread over the intervals. */
const CHANGES = 200;
const OPEN_AT_ONCE = 50;
const QUIET_SECONDS = 10;

/** Measures the cost of open checkout pages for web and Postgres, and how soon a page shows a change. */
export async function measurePages(bench: Bench, pages: number): Promise<void> {
  await fill(bench, pages * PAYMENTS_PER_PAGE);
  const web = await startService('web', bench.env);
  const before = residentMegabytes(web.pid);
  const listeners = new Map<number, () => void>();
  const close = await openPages(bench, pages, (page) => listeners.get(page)?.());
  try {
    // Backends report their statistics within 10 s of becoming idle.
    await sleep(bench.isQuick ? 0 : 12_000);
    const seconds = bench.isQuick ? 2 : QUIET_SECONDS;
    const end = watchCpu({ web: [web.pid], Postgres: [bench.postgresPid] });
    const transactions = await transactionsWithin(bench, seconds);
    const usage = end();
    const perSecond = (name: string) => (cpuOf(usage, name) * 1_000) / usage.seconds;
    const kilobytes = ((residentMegabytes(web.pid) - before) * 1_024) / pages;
    const all = `${pages.toLocaleString('en-US')} open pages`;
    const row = (title: string, value: number, atMost: number, unit: string, figures: string) =>
      bench.report({
        title,
        floor: '',
        target: { atMost, unit },
        rounds: [value],
        figures,
        limit: limitOf(usage),
      });
    row(`memory of web per page, ${all}`, kilobytes, 25, ' kB', 'with their sockets');
    const ofWeb = `web ${number(perSecond('web'))} ms`;
    const asked = `${number(transactions)} transactions a second for all pages together`;
    row(`Postgres CPU a second, ${all}`, perSecond('Postgres'), 100, ' ms', `${ofWeb}; ${asked}`);
    const delays = await delaysOf(bench, pages, listeners);
    row(`commit to page, p50, ${all}`, quantile(delays, 0.5), 1_000, ' ms', `of ${delays.length} changes`);
    row(`commit to page, p99, ${all}`, quantile(delays, 0.99), 2_000, ' ms', `of ${delays.length} changes`);
  } finally {
    close();
    await web.stop();
  }
}

/** The pages show the first payments, a fifth of which wait for confirmations. */
async function fill({ db }: Bench, payments: number): Promise<void> {
  await copyPayments(db, {
    count: payments,
    payment: { token_id: `'page_of_the_bench_' || i`, fully_funded: 'i % 5 = 0' },
  });
  await db.query(
    `INSERT INTO transfers (payment_id, network, tx_hash, coin, amount, credit, seen_at, block_height)
     SELECT id, 'ethereum', 'page' || id, 'USDC', 1, 1, now(), 1 FROM payments WHERE fully_funded`,
  );
  await db.query('ANALYZE');
}

/** Opens the pages from 1 on, each on its own connection, and waits for the first event of each. */
async function openPages(
  { origin }: Bench,
  pages: number,
  onUpdate: (page: number) => void,
): Promise<() => void> {
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
    while (next <= pages) await open(next++);
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

/** Returns the milliseconds from each commit to its event on the page stream. */
async function delaysOf({ db }: Bench, pages: number, listeners: Map<number, () => void>): Promise<number[]> {
  const delays: number[] = [];
  const changes = Math.min(CHANGES, pages);
  for (let n = 0; n < changes; n += 1) {
    const page = 1 + n * Math.floor(pages / changes);
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
  while (delays.length < changes) {
    if (performance.now() > giveUpAt) throw new Error(`${changes - delays.length} pages got no event`);
    await sleep(50);
  }
  return delays;
}
