import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { findServer } from '../../dev/embedded-postgres/pid-file.ts';
import { withDatabase } from '../../dev/embedded-postgres/databases.ts';
import { startEmbeddedPostgres, type EmbeddedPostgresOptions } from '../../dev/embedded-postgres/start.ts';
import { messageOf } from '../../src/platform/log.ts';
import { freePort } from '../../test/support/free-port.ts';
import { query } from '../database.ts';
import { PATIENCE_MS } from '../requests.ts';

/** Far more than the pools of the processes, and few enough to take them all. */
const MAX_CONNECTIONS = 150;
const FLAGS = ['-c', `max_connections=${MAX_CONNECTIONS}`, '-c', 'max_wal_size=256MB'];
const DATABASE = 'chaos';
const POLL_MS = 20;

/** A Postgres with default durability, that can be stopped, frozen, and replaced by its standby. */
export class FaultyPostgres {
  readonly url: string;
  readonly dataDir: string;
  readonly #port: number;

  private constructor(dataDir: string, port: number, url: string) {
    this.dataDir = dataDir;
    this.#port = port;
    this.url = url;
  }

  /** Starts Postgres on `dataDir`, a real path. */
  static async start(dataDir: string): Promise<FaultyPostgres> {
    const port = await freePort();
    const url = await startPatiently({ ...optionsOf(dataDir, port), database: DATABASE });
    return new FaultyPostgres(dataDir, port, url);
  }

  /** Starts a standby on `dataDir`, which holds a copy of its primary. */
  static async startStandby(dataDir: string): Promise<FaultyPostgres> {
    const port = await freePort();
    // A standby has its databases from its primary, and refuses to look whether it must create one.
    const url = await startPatiently(optionsOf(dataDir, port));
    return new FaultyPostgres(dataDir, port, withDatabase(url, DATABASE));
  }

  /** Starts it again after `end`; resolves when it accepts connections. One that still lives is kept. */
  async startAgain(): Promise<void> {
    await startPatiently(optionsOf(this.dataDir, this.#port));
  }

  /** SIGINT ends its clients and writes everything out; SIGQUIT ends at once. */
  async end(signal: 'SIGINT' | 'SIGQUIT'): Promise<void> {
    for (const pid of (await this.#pids()).slice(0, 1)) process.kill(pid, signal);
    while ((await this.#pids()).length > 0) await sleep(POLL_MS);
  }

  /** Every process of the server hangs, connections open, until `thaw`. */
  async freeze(): Promise<void> {
    for (const pid of await this.#pids()) send(pid, 'SIGSTOP');
  }

  async thaw(): Promise<void> {
    for (const pid of await this.#pids()) send(pid, 'SIGCONT');
  }

  /** Runs a statement, also while the server is set to read-only. */
  async run<Row extends object>(text: string): Promise<Row[]> {
    const url = new URL(this.url);
    url.searchParams.set('options', '-c default_transaction_read_only=off');
    return query<Row>(url.href, text);
  }

  /** Changes settings of the server: values, null for the default. */
  async set(settings: Readonly<Record<string, string | null>>): Promise<void> {
    for (const [name, value] of Object.entries(settings))
      await this.run(value === null ? `ALTER SYSTEM RESET ${name}` : `ALTER SYSTEM SET ${name} = '${value}'`);
    await this.run('SELECT pg_reload_conf()');
  }

  async #pids(): Promise<number[]> {
    const server = await findServer(this.dataDir);
    if (server === null) return [];
    const children = readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8');
    return [server.pid, ...children.split(' ').filter(Boolean).map(Number)];
  }
}

/** Starts a server, again where a busy machine needs longer than one start may take; returns its URL. */
async function startPatiently(options: EmbeddedPostgresOptions): Promise<string> {
  const end = performance.now() + PATIENCE_MS;
  for (;;)
    try {
      return (await startEmbeddedPostgres(options)).url;
    } catch (error) {
      const isSlow = /not ready in time|does not answer/.test(messageOf(error));
      if (!isSlow || performance.now() > end) throw error;
    }
}

function optionsOf(dataDir: string, port: number) {
  return { dataDir, port, flags: FLAGS, log: () => undefined };
}

/** A backend may end between the listing and the signal. */
function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It is gone.
  }
}
