import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { access, chmod, constants, mkdtemp, rm, statfs } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, escapeIdentifier, escapeLiteral } from 'pg';
import { execute, withDatabase } from '../../dev/embedded-postgres/databases.ts';
import { startEmbeddedPostgres } from '../../dev/embedded-postgres/start.ts';

/** Carries the run's server from mocha's main process to the workers of `--parallel`. */
const RUN_VARIABLE = 'TEST_POSTGRES_RUN';

/**
 * Data of no value: nothing waits for the disk, and little is kept in memory. Connections for many small
 * pools at once.
 */
const SETTINGS = [
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'wal_level=minimal',
  'max_wal_senders=0',
  'max_wal_size=128MB',
  'min_wal_size=32MB',
  'max_connections=300',
];

/**
 * The password is random and lives for a run: deriving a key from it 4,096 times would take most of a
 * connection's CPU.
 */
const INITDB_FLAGS = ['--no-sync', '--set=scram_iterations=1'];

/**
 * A file system in memory, where there is one with room: a test's database takes 10 ms to copy and to remove
 * there, and up to 200 ms on a disk, which creates and deletes some 400 files for it.
 */
const MEMORY_FOLDER = '/dev/shm';
const MEMORY_BYTES = 2 * 1024 ** 3;

/** What the watchdog waits for on its standard input, so that its end by itself means: the run was killed. */
const FINISHED = 'finished\n';

/**
 * Ends the server and removes its folder ($1) when the run is gone without a word, by kill -9 for instance:
 * the kernel then closes the pipe. The pause lets a server that is just starting write its number down.
 */
const WATCHDOG = `
  read -r finished && exit
  sleep 0.5
  pid=$(head -n 1 "$1/data/postmaster.pid") && kill -QUIT "$pid"
  for attempt in 1 2 3 4 5 6 7 8 9; do
    rm -rf "$1" && [ ! -e "$1" ] && exit
    sleep 0.2
  done`;

interface Run {
  /** a URL of a user who may create databases */
  serverUrl: string;
  /** the migrated database that test databases are copies of; also the prefix of their names */
  template: string;
  /** copying files takes half the time of copying through the WAL; only the embedded one surely knows it */
  strategy: string;
}

export interface TestDatabase {
  url: string;
  /** removes it, connections that are still open included */
  drop(): Promise<void>;
}

/**
 * Makes Postgres ready for one test run and the processes it starts from then on: TEST_DATABASE_URL (its user
 * may create databases) or an embedded one in a temporary folder that dies with the run, however the run
 * ends.
 *
 * @param prepareTemplate migrates an empty database once, and closes its connections
 * @returns ends the server, or removes every database of the run from TEST_DATABASE_URL
 */
export async function startTestPostgres(
  prepareTemplate: (databaseUrl: string) => Promise<void>,
): Promise<() => Promise<void>> {
  const { TEST_DATABASE_URL: given } = process.env;
  const server = given ? { url: given, strategy: '', stop: dropDatabases } : await startTemporaryServer();
  const run = {
    serverUrl: server.url,
    template: `test_${randomBytes(4).toString('hex')}`,
    strategy: server.strategy,
  };
  try {
    await execute(run.serverUrl, `CREATE DATABASE ${escapeIdentifier(run.template)}`);
    await prepareTemplate(withDatabase(run.serverUrl, run.template));
  } catch (error) {
    await server.stop(run);
    throw error;
  }
  process.env[RUN_VARIABLE] = JSON.stringify(run);
  return () => server.stop(run);
}

/** A database of its own for a test: a copy of the migrated template. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const variable = process.env[RUN_VARIABLE];
  if (!variable) throw new Error('No test Postgres: run mocha with its configuration, which starts one.');
  const { serverUrl, template, strategy } = JSON.parse(variable) as Run;
  const name = `${template}_${randomBytes(4).toString('hex')}`;
  await execute(
    serverUrl,
    `CREATE DATABASE ${escapeIdentifier(name)} TEMPLATE ${escapeIdentifier(template)} ${strategy}`,
  );
  return { url: withDatabase(serverUrl, name), drop: () => dropDatabase(serverUrl, name) };
}

async function startTemporaryServer() {
  const folder = await mkdtemp(join(await temporaryFolder(), 'test-postgres-'));
  const dismissWatchdog = startWatchdog(folder);
  // As root, Postgres runs as another user, who has to pass here.
  await chmod(folder, 0o711);
  const removeFolder = async () => {
    await rm(folder, { recursive: true, force: true });
    dismissWatchdog();
  };
  try {
    const server = await startEmbeddedPostgres({
      dataDir: join(folder, 'data'),
      flags: SETTINGS.flatMap((setting) => ['-c', setting]),
      initdbFlags: INITDB_FLAGS,
      log: () => {},
    });
    const stop = async () => {
      await server.stop();
      await removeFolder();
    };
    return { url: server.url, strategy: 'STRATEGY file_copy', stop };
  } catch (error) {
    await removeFolder();
    throw error;
  }
}

async function temporaryFolder(): Promise<string> {
  try {
    await access(MEMORY_FOLDER, constants.W_OK);
    const { bavail, bsize } = await statfs(MEMORY_FOLDER);
    return bavail * bsize >= MEMORY_BYTES ? MEMORY_FOLDER : tmpdir();
  } catch {
    return tmpdir();
  }
}

/** In a session of its own: Ctrl-C in the terminal must not end it before it has done its work. */
function startWatchdog(folder: string): () => void {
  const watchdog = spawn('/bin/sh', ['-c', WATCHDOG, 'sh', folder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  watchdog.unref();
  const { stdin } = watchdog;
  if (stdin instanceof Socket) stdin.unref();
  return () => stdin.end(FINISHED);
}

async function dropDatabases({ serverUrl, template }: Run): Promise<void> {
  const client = new Client({ connectionString: serverUrl });
  await client.connect();
  const { rows } = await client.query<{ datname: string }>(
    `SELECT datname FROM pg_database WHERE starts_with(datname, ${escapeLiteral(template)})`,
  );
  await client.end();
  for (const { datname } of rows) await dropDatabase(serverUrl, datname);
}

async function dropDatabase(serverUrl: string, name: string): Promise<void> {
  await execute(serverUrl, `DROP DATABASE IF EXISTS ${escapeIdentifier(name)} WITH (FORCE)`);
}
