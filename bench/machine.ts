import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { startEmbeddedPostgres } from '../dev/embedded-postgres/start.ts';
import { freePort, openProcesses, start, stopAll } from './processes.ts';
import { COUNTING_FLAGS } from './statements.ts';
import { parentOf } from './watch.ts';

/** A Postgres of this run, and a Redis where one is installed. */
export interface Machine {
  /** Postgres's own default durability and memory. */
  readonly postgres: { readonly url: string; readonly pid: number };
  /** Redis's program; null: none is installed. */
  readonly redis: string | null;
  /** Holds all files of the run. */
  readonly folder: string;
}

export interface Redis {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/**
 * What `closeMachine` undoes, in reverse order: known before it is there, because a signal may come
 * meanwhile.
 */
const undo: (() => unknown)[] = [];

/** Starts Postgres in a new folder. `onDeath` hears of each process that ends before it is stopped. */
export async function openMachine(
  onDeath: (error: Error) => void,
  { countsStatements = false }: { countsStatements?: boolean } = {},
): Promise<Machine> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  undo.push(() => rmSync(folder, { recursive: true, force: true }));
  openProcesses(folder, onDeath);
  const postgres = await startPostgres(folder, countsStatements ? COUNTING_FLAGS : []);
  return { folder, postgres, redis: await findRedis() };
}

/** Starts a Postgres with its data in a folder of the run. */
export async function startPostgres(
  folder: string,
  flags: readonly string[] = [],
): Promise<Machine['postgres']> {
  const starting = startEmbeddedPostgres({
    dataDir: join(folder, 'data'),
    flags: ['-c', 'max_connections=200', ...flags],
    log: () => undefined,
  });
  undo.push(async () => (await starting.catch(() => null))?.stop());
  const { url } = await starting;
  const db = await connect(url);
  const { rows } = await db.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  // Before its connection ends: a process that has ended has no parent.
  const pid = parentOf(rows[0]?.pid ?? 0);
  await db.end();
  if (pid === 0) throw new Error('no process of Postgres was found');
  return { url, pid };
}

/** Stops everything that this run has started, and removes its files. May be called again. */
export async function closeMachine(): Promise<void> {
  await stopAll({ last: true });
  for (let step = undo.pop(); step !== undefined; step = undo.pop()) await step();
}

/** Starts a Redis with nothing in it, and with the durability that production needs. */
export async function startRedis({ redis, folder }: Machine): Promise<Redis> {
  const port = await freePort();
  const dir = mkdtempSync(join(folder, 'redis-'));
  const options = ['--port', String(port), '--save', '', '--appendonly', 'yes', '--dir', dir];
  const policy = ['--maxmemory-policy', 'noeviction'];
  const service = start('redis', [...options, ...policy], {}, redis ?? 'redis-server');
  return { url: `redis://127.0.0.1:${port}`, pid: service.pid, stop: () => service.stop() };
}

export async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url, keepAlive: true });
  // Postgres stops when a part fails, and the part's error is the one to report.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** The URL of another database of the same server. */
export function databaseUrl({ postgres }: Machine, name: string): string {
  const url = new URL(postgres.url);
  url.pathname = `/${name}`;
  return url.href;
}

/** Creates a database as a copy of another one, to which nobody is connected. */
export async function copyDatabase(machine: Machine, from: string, name: string): Promise<string> {
  const admin = await connect(machine.postgres.url);
  // A process that was just stopped may leave a connection for a moment.
  for (let tries = 0; ; tries += 1)
    try {
      await admin.query(`CREATE DATABASE ${name} TEMPLATE ${from}`);
      break;
    } catch (error) {
      if (tries === 50 || !(error as Error).message.includes('being accessed')) throw error;
      await sleep(100);
    }
  await admin.end();
  return databaseUrl(machine, name);
}

export async function dropDatabase(machine: Machine, name: string): Promise<void> {
  const admin = await connect(machine.postgres.url);
  await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  await admin.end();
}

async function findRedis(): Promise<string | null> {
  const { execFile } = await import('node:child_process');
  for (const program of ['redis-server', 'valkey-server'])
    if (await new Promise((found) => execFile(program, ['--version'], (error) => found(error === null))))
      return program;
  return null;
}
