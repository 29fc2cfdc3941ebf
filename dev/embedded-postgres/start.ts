import { mkdir, realpath } from 'node:fs/promises';
import { createServer } from 'node:net';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chooseAccount, commandAs } from './account.ts';
import { hasCode, findBinaries } from './binaries.ts';
import { createDatabaseIfMissing } from './databases.ts';
import { type ReadyServer, waitUntilReady } from './find.ts';
import { initialise } from './initialise.ts';
import { launch } from './launch.ts';
import { removeMisleadingPidFile } from './pid-file.ts';
import { stopServer } from './stop.ts';

/**
 * A start takes under 0.1 s; the rest is for recovery after a crash and for a previous server still ending.
 */
const START_TIMEOUT_MS = 60_000;

/** Pause before Postgres is started again after a failure that passes by itself. */
const RETRY_MS = 200;

export interface EmbeddedPostgresOptions {
  /** made when missing, its parents too */
  dataDir: string;
  /** created when missing; default `postgres`, which always exists */
  database?: string;
  /** default: one that is free now */
  port?: number;
  /** further arguments of `postgres`, such as `['-c', 'fsync=off']`; an adopted server keeps its own */
  flags?: string[];
  /** further arguments of `initdb` */
  initdbFlags?: string[];
  /** gets Postgres's own log, line by line; nothing from a server that was adopted */
  log: (line: string) => void;
}

export interface EmbeddedPostgres {
  /** superuser's URL of the database asked for, on 127.0.0.1; holds the password */
  url: string;
  port: number;
  /** whether another process had started the server and it was alive */
  adopted: boolean;
  /** ends the server, adopted or not, and returns when it is gone; may be called again */
  stop(): Promise<void>;
}

/**
 * Returns the one server of a data folder: the live one when there is one (left by a killed process, or
 * started by another that still runs), else a new one. It listens on 127.0.0.1 only and outlives this process
 * unless stopped.
 *
 * @throws Error that names the data folder, with Postgres's last lines, when it does not start
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const dataDir = await resolveDataDir(options.dataDir);
  const deadline = performance.now() + START_TIMEOUT_MS;
  const { server, adopted } = await adoptOrStart(dataDir, deadline, options);
  const { database = 'postgres' } = options;
  return {
    url: database === 'postgres' ? server.url : await createDatabaseIfMissing(server.url, database),
    port: server.port,
    adopted,
    stop: () => stopServer(dataDir, server.pid),
  };
}

/** Retries until a server stays up: the obstacle may be temporary, such as a server that is ending. */
async function adoptOrStart(
  dataDir: string,
  deadline: number,
  { port, flags = [], initdbFlags = [], log }: EmbeddedPostgresOptions,
): Promise<{ server: ReadyServer; adopted: boolean }> {
  const binaries = await findBinaries();
  const account = await chooseAccount(dataDir, binaries);
  await initialise(dataDir, account, binaries, initdbFlags);
  for (;;) {
    const running = await waitUntilReady(dataDir, deadline);
    if (running) return { server: running, adopted: true };

    await removeMisleadingPidFile(dataDir);
    const args = [...serverArgs(dataDir, port ?? (await freePort())), ...flags];
    const launched = await launch(commandAs(account, binaries.postgres, args), dataDir, deadline, log);
    if ('server' in launched) return { server: launched.server, adopted: false };

    const output = launched.lastLines.join('\n');
    if (!mayPass(output, port) || performance.now() > deadline) throw startError(dataDir, output, port);
    await sleep(RETRY_MS);
  }
}

/** No Unix socket: its path is limited to 107 bytes, and a folder of a clone may be deeper. */
function serverArgs(dataDir: string, port: number): string[] {
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'timezone=UTC',
    'log_timezone=UTC',
  ];
  return ['-D', dataDir, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])];
}

/** Another start owns the folder, a killed server is still ending, or another process took the free port. */
function mayPass(output: string, port: number | undefined): boolean {
  if (/lock file "postmaster\.pid"|pre-existing shared memory block/.test(output)) return true;
  return port === undefined && isPortTaken(output);
}

function isPortTaken(output: string): boolean {
  return output.includes('Address already in use');
}

function startError(dataDir: string, output: string, port: number | undefined): Error {
  if (port !== undefined && isPortTaken(output)) {
    return new Error(`Postgres of ${dataDir}: port ${port} on 127.0.0.1 is taken by another program.`);
  }
  return new Error(`Postgres did not start on ${dataDir}:\n${output}`);
}

/** The real path, by which a live server is recognised; creates the parents of a missing folder. */
async function resolveDataDir(dataDir: string): Promise<string> {
  return realpath(dataDir).catch(async (error: unknown) => {
    if (!hasCode(error, 'ENOENT')) throw error;
    const parent = dirname(resolve(dataDir));
    await mkdir(parent, { recursive: true });
    return join(await realpath(parent), basename(dataDir));
  });
}

/** A port of 127.0.0.1 on which no process listens now. */
async function freePort(): Promise<number> {
  const probe = createServer();
  return new Promise((resolvePort, reject) => {
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolvePort(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
