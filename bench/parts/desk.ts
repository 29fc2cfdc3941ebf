import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { CONNECTIONS, type Bench } from '../bench.ts';
import { countPayments } from '../counts.ts';
import { copyPayments, settleTables } from '../fill.ts';
import { load, openConnection, type LoadRequest, type LoadResult } from '../load.ts';
import { addPeople } from '../people.ts';
import { residentMegabytes, startService, type Service } from '../processes.ts';
import { byRound, interleave } from '../rounds.ts';
import { median, number } from '../table.ts';
import { limitOf, sumOf, watchCpu, type Usage } from '../watch.ts';

const PEOPLE = 50;
/** Between two pages: a person who looks for something reads as fast. */
const READING_MS = 1_000;
/** Requests of a round of the API's load. */
const REQUESTS = 60_000;

/** A merchant's web process with people who are signed in. */
interface Desk {
  readonly bench: Bench;
  readonly web: Service;
  readonly cookies: readonly string[];
  readonly id: string;
}

/**
 * Measures the desk of a merchant with so many payments: the p99 of the API beside 50 people, and beside an
 * export of all of them; the rows of an export a second, and what web needs for it.
 */
export async function measureDesk(bench: Bench, payments: number): Promise<void> {
  // An export leaves out the latest.
  const createdAt = `now() - interval '2 minutes' - (${payments} - i) * interval '1 ms'`;
  await copyPayments(bench.db, { count: payments, createdAt });
  // A worker counts every minute.
  await countPayments(bench.db, bench.merchantId);
  await settleTables(bench.db);
  const { rows } = await bench.db.query<{ id: string }>('SELECT max(id) AS id FROM payments');
  const cookies = await addPeople(bench.db, bench.merchantId, PEOPLE);
  const web = await startService('web', bench.env);
  const desk = { bench, web, cookies, id: rows[0]?.id ?? '' };
  await callApi(desk);
  await measurePeople(desk);
  await measureExport(desk, payments);
  await web.stop();
}

async function measurePeople(desk: Desk): Promise<void> {
  const { bench } = desk;
  let pages = 0;
  const beside = async () => {
    const end = new AbortController();
    const people = Promise.all(
      desk.cookies.map((cookie, i) => click(desk, cookie, i, end.signal, () => (pages += 1))),
    );
    const measured = await callApi(desk);
    end.abort();
    await people;
    return measured;
  };
  const rounds = await interleave(bench.rounds, beside, () => callApi(desk));
  const seconds = rounds.ours.reduce((sum, { usage }) => sum + usage.seconds, 0);
  reportBeside(bench, `p99 of the API beside ${PEOPLE} people at the desk`, rounds, {
    atMost: 1.2,
    beside: `${number(pages / seconds)} pages a second`,
  });
}

/** Opens pages, one after the other, as a person does who looks for something. */
async function click(
  { bench, id }: Desk,
  cookie: string,
  first: number,
  end: AbortSignal,
  onPage: () => void,
): Promise<void> {
  const base = `/dashboard/${bench.merchantId}`;
  const paths = ['', '/payments', `/payments/${id}`, '/payments?status=WAITING', '/people', '/exports'];
  const connection = await openConnection(bench.origin, { cookie });
  await sleep((READING_MS * first) / PEOPLE);
  for (let i = first; !end.aborted; i += 1) {
    const path = `${base}${paths[i % paths.length] ?? ''}`;
    const { status } = await connection.send({ method: 'GET', path });
    if (status !== 200) throw new Error(`${path} answered ${status}`);
    onPage();
    await sleep(READING_MS);
  }
  connection.close();
}

async function measureExport(desk: Desk, payments: number): Promise<void> {
  const { bench } = desk;
  const alone: Exported[] = [];
  while (alone.length < bench.rounds) alone.push(await exportAll(desk, 'csv', payments));
  const megabytes = alone.flatMap((one) => one.megabytes);
  const tenths = alone.map((one) => one.megabytes.map(number).join(', ')).join('; ');
  bench.report({
    title: `export of ${payments.toLocaleString('en-US')} payments as CSV, rows a second`,
    floor: '',
    target: { atLeast: 10_000 },
    rounds: alone.map(({ perSecond }) => perSecond),
    figures: `${number(median(alone.map(({ perSecond }) => payments / perSecond)))} s`,
    limit: limitOf(sumOf(alone.map(({ usage }) => usage))),
  });
  bench.report({
    title: 'memory of web meanwhile',
    floor: '',
    target: { atMost: 200, unit: ' MB' },
    rounds: [Math.max(...megabytes)],
    figures: `after each tenth of them: ${tenths} MB`,
    limit: 'nothing: the largest is judged',
  });
  const beside = async () => {
    const exporting = exportAll(desk, 'csv', null);
    const measured = await callApi(desk);
    (await exporting).file.destroy();
    return measured;
  };
  const rounds = await interleave(bench.rounds, beside, () => callApi(desk));
  reportBeside(bench, 'p99 of the API beside an export', rounds, { atMost: 2, beside: 'as CSV' });
}

interface Called extends LoadResult {
  readonly usage: Usage;
}

/** All that the API can do: nine reads and a creation. */
async function callApi({ bench, web, id }: Desk): Promise<Called> {
  const next = (index: number): LoadRequest =>
    index % 10 === 0
      ? { method: 'POST', path: '/v1/payment', body: '{"pay_amount":"10.50","order_id":"desk"}' }
      : { method: 'GET', path: `/v1/payment/${id}` };
  const end = watchCpu({ web: [web.pid], Postgres: [bench.postgresPid] });
  const count = bench.isQuick ? 200 : REQUESTS;
  const result = await load(bench.origin, { headers: bench.headers, connections: CONNECTIONS, count, next });
  return { ...result, usage: end() };
}

function reportBeside(
  bench: Bench,
  title: string,
  rounds: { readonly ours: readonly Called[]; readonly floor: readonly Called[] },
  { atMost, beside }: { readonly atMost: number; readonly beside: string },
): void {
  const p99 = (side: readonly Called[]) => number(median(side.map((one) => one.p99)));
  const perSecond = number(median(rounds.ours.map((one) => one.perSecond)));
  bench.report({
    title,
    floor: `the API alone, ${p99(rounds.floor)} ms`,
    target: { atMost, unit: 'x' },
    rounds: byRound(rounds, (one, other) => one.p99 / other.p99),
    figures: `${p99(rounds.ours)} ms, ${perSecond} requests a second, ${beside}`,
    limit: limitOf(sumOf(rounds.ours.map(({ usage }) => usage))),
  });
}

interface Exported {
  readonly file: IncomingMessage;
  readonly perSecond: number;
  /** Of web, after each tenth. */
  readonly megabytes: readonly number[];
  readonly usage: Usage;
}

/** Downloads all payments and counts lines; `rows` null: reads on, and returns when the first bytes came. */
async function exportAll(
  { bench, web, cookies }: Desk,
  format: string,
  rows: number | null,
): Promise<Exported> {
  const [cookie = ''] = cookies;
  const headers = {
    cookie,
    'sec-fetch-site': 'same-origin',
    'content-type': 'application/x-www-form-urlencoded',
  };
  const end = watchCpu({ web: [web.pid], Postgres: [bench.postgresPid] });
  const startedAt = performance.now();
  const asked = request(`${bench.origin}/dashboard/${bench.merchantId}/exports`, { method: 'POST', headers });
  asked.end(`kind=payments&format=${format}&currency=EUR`);
  const [file] = (await once(asked, 'response')) as [IncomingMessage];
  if (file.statusCode !== 200) throw new Error(`the export answered ${file.statusCode}`);
  const megabytes: number[] = [];
  let [lines, last] = [0, ''];
  file.on('data', (chunk: Buffer) => {
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) lines += 1;
    last = (last + chunk.toString('latin1', Math.max(0, chunk.length - 200))).slice(-200);
    const tenths = Math.floor((10 * lines) / (rows ?? Infinity));
    if (tenths > megabytes.length && megabytes.length < 10) megabytes.push(residentMegabytes(web.pid));
  });
  file.on('error', () => undefined);
  if (rows === null) {
    await once(file, 'data');
    return { file, perSecond: NaN, megabytes, usage: end() };
  }
  await once(file, 'end');
  const [, count = '0'] = /\r\nend,(\d+),/.exec(last) ?? [];
  if (Number(count) < rows) throw new Error(`an export of ${rows} payments has ${count}`);
  return { file, perSecond: (rows * 1_000) / (performance.now() - startedAt), megabytes, usage: end() };
}
