import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { until } from '../../test/support/until.ts';
import { createTemplate, openBench, type Bench } from '../bench.ts';
import { load } from '../load.ts';
import { startPostgres } from '../machine.ts';
import { cpuSeconds, startOwn, startService } from '../processes.ts';
import { median, number } from '../table.ts';

const CELLS = 3;
/** Of each cell, however many there are. */
const CONNECTIONS = 4;
/**
 * The bare programs of a cell get one request after the other: that leaves about as much of two cores free as
 * a cell that waits for its stores.
 */
const FLOOR_CONNECTIONS = 1;
/** After the start, which compiles, schedules and reads much once. */
const SETTLING_MS = 5_000;
const IDLE_MS = 10_000;
/** Each look is work of the cell's Postgres. */
const LOOK_MS = 250;

/** A Postgres, a queue store, a web and a worker process, which share nothing with another cell. */
interface Cell {
  readonly bench: Bench;
  readonly pids: readonly number[];
  /** A bare program and the cell's Postgres, which has a database for it. */
  readonly floorPids: readonly number[];
}

interface Measured {
  /** CPU of all processes and stores of the cells that worked, in seconds. */
  readonly cpu: number;
  /** The same without what those cells take in the same time while nothing happens. */
  readonly net: number;
  /** That of bare programs in as many cells. */
  readonly floor: number;
}

/**
 * Measures what a payment costs, from its creation until it is settled by the simulator, in one cell, in two
 * and in three at once. Each cell gets the same load, so that one more cell is one more load. Whatever shares
 * cores and caches takes more CPU: the floor is how much more bare programs take, each with a Postgres of its
 * own, when there are as many of them.
 */
export async function measureCellsCpu(bench: Bench, size: number): Promise<void> {
  const cells: Cell[] = [];
  try {
    for (let opened = 0; opened < CELLS; opened += 1) cells.push(await openCell(bench));
    for (const cell of cells) await settleIn(cell, size);
    await sleep(bench.isQuick ? 0 : SETTLING_MS);
    const idle = await measureIdleCells(cells, bench.isQuick ? 1_000 : IDLE_MS);
    const rounds: Measured[][] = [];
    for (let round = 0; round < bench.rounds; round += 1)
      rounds.push(await measureRound(cells, size, { round, idle }));
    const cores = number(median([...idle]) * 100);
    for (const count of [2, 3]) report(bench, rounds, { count, size, cores });
  } finally {
    for (const cell of cells) await cell.bench.close();
  }
}

async function openCell(bench: Bench): Promise<Cell> {
  const postgres = await startPostgres(mkdtempSync(join(bench.machine.folder, 'cell-')));
  const template = await createTemplate({ ...bench.machine, postgres });
  const own = await openBench(template, bench);
  const env = { ...own.env, SIMULATOR_AUTOPAY_SECONDS: '0' };
  const web = await startService('web', env);
  const worker = await startService('worker', env);
  const redis = own.redisPid === null ? [] : [own.redisPid];
  const floor = await startOwn('floors/requests', own.floor.env);
  return {
    bench: own,
    pids: [postgres.pid, ...redis, web.pid, worker.pid],
    floorPids: [postgres.pid, floor.pid],
  };
}

/** By turns which number of cells is first, and which cells they are. */
async function measureRound(
  cells: readonly Cell[],
  size: number,
  { round, idle }: { round: number; idle: readonly number[] },
): Promise<Measured[]> {
  const measured: Measured[] = [];
  for (let turn = 0; turn < CELLS; turn += 1) {
    const count = 1 + ((round + turn) % CELLS);
    const places = Array.from({ length: count }, (_, place) => (round + place) % CELLS);
    const working = places.flatMap((place) => cells[place] ?? []);
    const startedAt = performance.now();
    const cpu = await cpuOf(working, 'pids', (cell) => settleIn(cell, size));
    const seconds = (performance.now() - startedAt) / 1_000;
    const floor = await cpuOf(working, 'floorPids', (cell) => createIn(cell, 'floor', size));
    const rest = places.reduce((sum, place) => sum + (idle[place] ?? 0) * seconds, 0);
    measured[count - 1] = { cpu: cpu / count, net: (cpu - rest) / count, floor: floor / count };
  }
  return measured;
}

let created = 0;

/** The CPU that processes of the cells take for work in all of them at once, in seconds. */
async function cpuOf(
  cells: readonly Cell[],
  pids: 'pids' | 'floorPids',
  work: (cell: Cell) => Promise<void>,
): Promise<number> {
  const before = cpuOfCells(cells, pids);
  await Promise.all(cells.map(work));
  return cpuOfCells(cells, pids) - before;
}

/** Creates payments in a cell and returns when all of them are settled. */
async function settleIn(cell: Cell, count: number): Promise<void> {
  await createIn(cell, 'service', count);
  const { db } = cell.bench;
  await until('all payments are settled', async () => (await countOpen(db)) === 0, 120_000, LOOK_MS);
}

async function createIn({ bench }: Cell, by: 'service' | 'floor', count: number): Promise<void> {
  await load(by === 'floor' ? bench.floor.origin : bench.origin, {
    headers: bench.headers,
    connections: by === 'floor' ? FLOOR_CONNECTIONS : CONNECTIONS,
    count,
    next: () => ({
      method: 'POST',
      path: '/v1/payment',
      body: JSON.stringify({ pay_amount: '10.50', order_id: `order-${(created += 1)}` }),
    }),
  });
}

async function countOpen(db: Client): Promise<number> {
  const { rows } = await db.query<{ count: string }>(
    "SELECT count(*) FROM payments WHERE status <> 'SETTLED' AND order_id <> 'order-0'",
  );
  return Number(rows[0]?.count);
}

/** The cores that each cell takes while nothing happens. */
async function measureIdleCells(cells: readonly Cell[], ms: number): Promise<readonly number[]> {
  const before = cells.map((cell) => cpuOfCells([cell], 'pids'));
  const startedAt = performance.now();
  await sleep(ms);
  const seconds = (performance.now() - startedAt) / 1_000;
  return cells.map((cell, place) => (cpuOfCells([cell], 'pids') - (before[place] ?? 0)) / seconds);
}

function cpuOfCells(cells: readonly Cell[], pids: 'pids' | 'floorPids'): number {
  return cells.flatMap((cell) => cell[pids]).reduce((sum, pid) => sum + cpuSeconds(pid), 0);
}

function report(
  bench: Bench,
  rounds: readonly Measured[][],
  { count, size, cores }: { count: number; size: number; cores: string },
): void {
  const per = (cells: number, of: keyof Measured) =>
    number((median(rounds.map((round) => round[cells - 1]?.[of] ?? NaN)) * 10_000) / size);
  const ratios = (of: keyof Measured) =>
    rounds.map((round) => (round[count - 1]?.[of] ?? NaN) / (round[0]?.[of] ?? NaN));
  const floors = ratios('floor');
  bench.report({
    title: `CPU per 10,000 settled payments, ${count} cells`,
    floor: `1 cell, ${per(1, 'cpu')} s, and what ${count} bare programs rise by, ${number(median(floors))}x`,
    target: { atMost: 1.05, unit: 'x' },
    rounds: ratios('cpu').map((ratio, round) => ratio / (floors[round] ?? NaN)),
    figures:
      `${per(count, 'cpu')} s, ${number(median(ratios('cpu')))}x; without what idle cells take, ` +
      `${number(median(ratios('net')))}x`,
    limit: `two cores for all cells and the load; an idle cell takes ${cores} % of a core`,
  });
}
