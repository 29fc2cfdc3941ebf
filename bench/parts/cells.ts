import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CERTIFICATES, RECEIVER_KEY } from '../../test/support/certificates.ts';
import { until } from '../../test/support/until.ts';
import type { Bench } from '../bench.ts';
import { load, openConnection, type Connection, type LoadRequest, type LoadResult } from '../load.ts';
import { copyDatabase, dropDatabase } from '../machine.ts';
import { freePort, runToEnd, start, startService, type Service } from '../processes.ts';
import { byRound, interleave } from '../rounds.ts';
import { median, number } from '../table.ts';

const NAMES = ['a', 'b', 'c'] as const;
/** Of each neighbour: few, so that both cores are not always busy and p99 is of more than queues. */
const CONNECTIONS = 2;
/** Clients of the third cell, each of which asks again so long after it has an answer. */
const CLIENTS = 20;
const AGAIN_MS = 100;

interface Cell {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly port: number;
  readonly web: Service;
}

/**
 * Measures creating payments in two cells behind one HAProxy, while a third one hangs and its clients ask on.
 */
export async function measureCells(bench: Bench, size: number): Promise<void> {
  const databases = NAMES.slice(1).map((name) => `bench_cell_${name}`);
  try {
    const cells: Cell[] = [];
    for (const name of NAMES) cells.push(await openCell(bench, name));
    const origin = await startProxy(bench, cells);
    const [a, b, c] = cells;
    if (a === undefined || b === undefined || c === undefined) throw new Error('three cells');
    const run = () => neighbours(origin, [a, c], size);
    await run();
    const rounds = await interleave(
      bench.rounds,
      () => beside(origin, b, { hangs: true, run }),
      () => beside(origin, b, { hangs: false, run }),
    );
    const p99 = (side: readonly LoadResult[]) => number(median(side.map((one) => one.p99)));
    bench.report({
      title: 'cells: neighbours of a hung cell, p99',
      floor: `the cell is well, ${p99(rounds.floor)} ms`,
      target: { atMost: 1.2, unit: 'x' },
      rounds: byRound(rounds, (ours, floor) => ours.p99 / floor.p99),
      figures: `${p99(rounds.ours)} ms; ${CLIENTS} clients ask the third cell in both`,
      limit: 'two cores for three cells, HAProxy and the load',
    });
  } finally {
    for (const name of databases) await dropDatabase(bench.machine, name);
  }
}

/** The first has the bench's database, the others such a copy of their own. */
async function openCell(bench: Bench, name: string): Promise<Cell> {
  const { machine, merchantId, headers } = bench;
  const url =
    name === 'a'
      ? bench.env.DATABASE_URL
      : await copyDatabase(machine, 'bench_template', `bench_cell_${name}`);
  const port = await freePort();
  const env = {
    ...bench.env,
    DATABASE_URL: url,
    CELL: name,
    PORT: String(port),
    TRUSTED_PROXIES: '127.0.0.1',
  };
  const output = await runToEnd('merchants', env, { args: ['add-key', '--merchant', merchantId, '--json'] });
  const { api_key: key } = JSON.parse(output) as { api_key: string };
  return { name, port, headers: { ...headers, 'x-api-key': key }, web: await startService('web', env) };
}

/** Renders the configuration as an operator does; a certificate of its own. */
async function startProxy(bench: Bench, cells: readonly Cell[]): Promise<string> {
  const folder = join(bench.machine.folder, `cells-${await freePort()}`);
  mkdirSync(folder);
  const [port, certificate, file] = [await freePort(), join(folder, 'site.pem'), join(folder, 'cells.json')];
  writeFileSync(certificate, `${CERTIFICATES.trusted}\n${RECEIVER_KEY}\n`);
  const written = cells.map(({ name, port: own }) => ({ name, webs: [`127.0.0.1:${own}`] }));
  const listen = `127.0.0.1:${port}`;
  writeFileSync(
    file,
    JSON.stringify({ listen, certificate, default: 'a', connections: 500, cells: written }),
  );
  await runToEnd('ops', bench.env, { args: ['cells', 'render', '--file', file, '--for', 'haproxy'] });
  start('haproxy', ['-db', '-f', join(folder, 'haproxy.cfg')], {}, 'haproxy');
  const origin = `https://${listen}`;
  await until('the proxy serves', async () => (await statusOf(origin, cells[0])) === 201);
  return origin;
}

let created = 0;
const order = (headers: Cell['headers']): LoadRequest => ({
  method: 'POST',
  path: '/v1/payment',
  headers,
  body: JSON.stringify({ pay_amount: '10.50', order_id: `order-${(created += 1)}` }),
});

/** Creates payments in the cells by turns. */
function neighbours(origin: string, cells: readonly Cell[], count: number): Promise<LoadResult> {
  const next = (index: number) => order(cells[index % cells.length]?.headers ?? {});
  return load(origin, { headers: {}, connections: CONNECTIONS * cells.length, count, next });
}

/**
 * The same beside the clients of a third cell, which ask on at their pace whether it hangs or not: that is
 * all that differs. It begins to hang with the first request, so the time until that is found counts as well.
 */
async function beside(
  origin: string,
  third: Cell,
  { hangs, run }: { hangs: boolean; run: () => Promise<LoadResult> },
): Promise<LoadResult> {
  if (hangs) process.kill(third.web.pid, 'SIGSTOP');
  const stop = new AbortController();
  const clients = Array.from({ length: CLIENTS }, () => askOn(origin, third, stop.signal));
  try {
    return await run();
  } finally {
    process.kill(third.web.pid, 'SIGCONT');
    stop.abort();
    await Promise.all(clients);
    await until('the cell is back', async () => (await statusOf(origin, third)) === 201);
  }
}

/** A client that keeps its connection for as long as the proxy does. */
async function askOn(origin: string, cell: Cell, signal: AbortSignal): Promise<void> {
  let connection: Connection | null = null;
  while (!signal.aborted) {
    try {
      connection ??= await openConnection(origin, cell.headers);
      await connection.send(order({}));
    } catch {
      connection?.close();
      connection = null;
    }
    await sleep(AGAIN_MS);
  }
  connection?.close();
}

/** 0: the connection ended without a response. */
async function statusOf(origin: string, cell: Cell | undefined): Promise<number> {
  try {
    const connection = await openConnection(origin, cell?.headers ?? {});
    const { status } = await connection.send(order({}));
    connection.close();
    return status;
  } catch {
    return 0;
  }
}
