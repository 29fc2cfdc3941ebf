import { chmod, chown, cp, mkdir, mkdtemp, readdir, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { createDatabaseIfMissing, execute, withDatabase } from '../../dev/embedded-postgres/databases.ts';
import { startEmbeddedPostgres } from '../../dev/embedded-postgres/start.ts';
import { until } from './until.ts';

/** What a base backup leaves out: the files of the running server, and its slots. */
const NOT_COPIED = /\/(postmaster\.(pid|opts)|pg_replslot\/.*)$/;

/**
 * Makes `dataDir` a standby of a running server, which follows it once it is started: the server's files
 * between the two calls that make them a base backup, and its address. The embedded Postgres has no
 * pg_basebackup. The URL is a superuser's.
 */
export async function copyAsStandby(
  primary: { readonly url: string; readonly dataDir: string },
  dataDir: string,
): Promise<void> {
  const client = new Client({ connectionString: primary.url });
  await client.connect();
  try {
    await client.query(`SELECT pg_backup_start('standby', true)`);
    await mkdir(dataDir, { mode: 0o700 });
    await cp(primary.dataDir, dataDir, { recursive: true, filter: (path) => !NOT_COPIED.test(path) });
    const { rows } = await client.query<{ labelfile: string }>(
      'SELECT labelfile FROM pg_backup_stop(wait_for_archive => false)',
    );
    await writeFile(join(dataDir, 'backup_label'), rows[0]?.labelfile ?? '');
  } finally {
    await client.end();
  }
  const { username, password, hostname, port } = new URL(primary.url);
  const address = `host=${hostname} port=${port} user=${username} password=${password}`;
  await writeFile(
    join(dataDir, 'postgresql.auto.conf'),
    `primary_conninfo = '${address} application_name=standby'\n`,
  );
  await writeFile(join(dataDir, 'standby.signal'), '');
  const { uid, gid } = await stat(primary.dataDir);
  const copied = await readdir(dataDir, { recursive: true });
  for (const path of [dataDir, ...copied.map((name) => join(dataDir, name))]) await chown(path, uid, gid);
}

/** A primary, and a standby that follows it, each with the same database. */
export interface Pair {
  readonly primaryUrl: string;
  readonly standbyUrl: string;
  /** The names of the statements that clients have executed on the standby. */
  statements(): string[];
  /** The standby goes on to receive what the primary writes, and shows none of it. */
  pauseReplay(): Promise<void>;
  resumeReplay(): Promise<void>;
  /** Ends the standby; `startStandby` starts it again on its port. */
  stopStandby(): Promise<void>;
  startStandby(): Promise<void>;
  /** Ends the primary, for good. */
  stopPrimary(): Promise<void>;
  /** Starts another standby of the primary, and returns its URL. */
  addStandby(): Promise<string>;
  close(): Promise<void>;
}

const DATABASE = 'replicated';
// A checkpoint, such as that of a backup, removes what is older of the log: a standby that has not come for
// it yet, after its own start, would never follow again.
const SETTINGS = ['fsync=off', 'max_connections=100', 'log_statement=all', 'wal_keep_size=1GB'];

/** Starts both in a temporary folder, with an empty database. */
export async function startPair(): Promise<Pair> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'test-standby-')));
  // As root, Postgres runs as another user, who has to pass here.
  await chmod(folder, 0o711);
  const executed: string[] = [];
  const stops: (() => Promise<void>)[] = [];
  const start = async (name: string, port?: number) => {
    const server = await startEmbeddedPostgres({
      dataDir: join(folder, name),
      flags: SETTINGS.flatMap((setting) => ['-c', setting]),
      initdbFlags: ['--no-sync', '--set=scram_iterations=1'],
      log: (line) => {
        const [, statement] = /execute (\w+):/.exec(line) ?? [];
        if (name === 'standby' && statement !== undefined) executed.push(statement);
      },
      ...(port === undefined ? {} : { port }),
    });
    stops.unshift(() => server.stop());
    return server;
  };
  const primary = await start('primary');
  const primaryUrl = await createDatabaseIfMissing(primary.url, DATABASE);
  const copy = (name: string) =>
    copyAsStandby({ url: primary.url, dataDir: join(folder, 'primary') }, join(folder, name));
  await copy('standby');
  let standby = await start('standby');
  const { port, url: standbyUrl } = standby;
  return {
    primaryUrl,
    standbyUrl: withDatabase(standbyUrl, DATABASE),
    statements: () => executed,
    pauseReplay: () => pause(standbyUrl),
    resumeReplay: () => execute(standbyUrl, 'SELECT pg_wal_replay_resume()'),
    stopStandby: () => standby.stop(),
    async startStandby() {
      standby = await start('standby', port);
    },
    stopPrimary: () => primary.stop(),
    async addStandby() {
      await copy('another');
      return withDatabase((await start('another')).url, DATABASE);
    },
    async close() {
      for (const stop of stops) await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The request alone does not stop the replay at once. */
async function pause(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('SELECT pg_wal_replay_pause()');
    await until('the replay is paused', async () => {
      const { rows } = await client.query<{ state: string }>(
        'SELECT pg_get_wal_replay_pause_state() AS state',
      );
      return rows[0]?.state === 'paused';
    });
  } finally {
    await client.end();
  }
}
