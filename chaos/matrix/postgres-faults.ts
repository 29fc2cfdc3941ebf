import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { copyAsStandby } from '../../test/support/standby.ts';
import { until } from '../../test/support/until.ts';
import { PATIENCE_MS } from '../requests.ts';
import type { Fault } from './fault.ts';
import { FaultyPostgres } from '../stand/postgres.ts';
import { repeatUntil, type Repetition } from './repeat.ts';
import { allOf, restartBy, type Stand } from '../stand/stand.ts';

const DOWN_MS = 1_500;
const LASTS_SECONDS = 20;
/** How long each statement on a locked table waits. */
const STATEMENT_SECONDS = 5;
const LOCKED = 'payments, events, deliveries, scheduled_jobs';
const CHUNK = Buffer.alloc(1 << 20);

/** The repetition of the fault that lasts. */
let repetition: Repetition | null = null;
const stopRepeating = async () => {
  await repetition?.stop();
  repetition = null;
};

async function startAfterPause({ postgres }: Stand): Promise<void> {
  await sleep(DOWN_MS);
  await postgres.startAgain();
}

/** What Postgres, its disk, its other clients and its operators do to the service. */
export const POSTGRES_FAULTS: readonly Fault[] = [
  {
    name: 'postgres: restart',
    lastsSeconds: 0,
    begin: ({ postgres }) => postgres.end('SIGINT'),
    end: startAfterPause,
  },
  {
    name: 'postgres: immediate',
    lastsSeconds: 0,
    begin: ({ postgres }) => postgres.end('SIGQUIT'),
    end: startAfterPause,
  },
  {
    name: 'postgres: SIGSTOP',
    lastsSeconds: LASTS_SECONDS,
    begin: ({ postgres }) => postgres.freeze(),
    end: ({ postgres }) => postgres.thaw(),
  },
  { name: 'postgres: connections', lastsSeconds: LASTS_SECONDS, begin: takeConnections, end: stopRepeating },
  {
    name: 'postgres: disk full',
    lastsSeconds: LASTS_SECONDS,
    impossible: ({ disk }) => (disk === null ? 'a disk cannot be mounted here' : null),
    begin: fillDisk,
    async end(stand) {
      await stopRepeating();
      await rm(join(stand.disk ?? '', 'filler'), { force: true });
      // Postgres ends when it cannot write its log; whoever runs it starts it again.
      await stand.postgres.startAgain();
    },
  },
  {
    name: 'postgres: read-only',
    lastsSeconds: LASTS_SECONDS,
    begin: ({ postgres }) => postgres.set({ default_transaction_read_only: 'on' }),
    end: ({ postgres }) => postgres.set({ default_transaction_read_only: null }),
  },
  { name: 'postgres: 5 s statements', lastsSeconds: LASTS_SECONDS, begin: slowDown, end: stopRepeating },
  {
    name: 'postgres: failover',
    lastsSeconds: 0,
    prepare: attachStandby,
    begin: ({ postgres }) => postgres.end('SIGQUIT'),
    async end(stand) {
      const [standby] = standbys.splice(0);
      if (standby === undefined) throw new Error('there is no standby');
      await standby.run('SELECT pg_promote()');
      stand.postgres = standby;
    },
    async restore(stand) {
      stand.env.DATABASE_URL = stand.postgres.url;
      await restartBy(allOf(stand), 'terminate');
    },
  },
];

/** Takes every connection that is free, and closes those of the service, so that it needs new ones. */
function takeConnections({ postgres }: Stand): void {
  const taken: Client[] = [];
  repetition = repeatUntil(
    async () => {
      for (;;) {
        const client = new Client({ connectionString: postgres.url, application_name: 'others' });
        client.on('error', () => undefined);
        try {
          await client.connect();
        } catch {
          break;
        }
        taken.push(client);
      }
      await taken[0]?.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name ~ '^(web|worker|queues)'`,
      );
    },
    200,
    () => Promise.all(taken.map((client) => client.end())),
  );
}

/** Each statement on the service's tables waits for 5 s: another program locks them, again and again. */
function slowDown({ postgres }: Stand): void {
  const lock = `BEGIN; LOCK TABLE ${LOCKED} IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(${STATEMENT_SECONDS}); COMMIT`;
  // Lock by lock, a deadlock with the service is possible; then one of both is refused.
  repetition = repeatUntil(() => postgres.run(lock).catch(() => undefined), 100);
}

/** Fills the disk, and what becomes free again. */
async function fillDisk({ disk }: Stand): Promise<void> {
  const file = await open(join(disk ?? '', 'filler'), 'a');
  repetition = repeatUntil(
    async () => {
      for (const chunk of [CHUNK, CHUNK.subarray(0, 4096)])
        try {
          for (;;) await file.appendFile(chunk);
        } catch {
          // It is full.
        }
    },
    200,
    () => file.close(),
  );
}

const standbys: FaultyPostgres[] = [];

/**
 * Copies the running server to a standby for which each commit waits, and lets the processes know both
 * addresses.
 */
async function attachStandby(stand: Stand): Promise<void> {
  const { postgres: primary } = stand;
  const dataDir = join(stand.disk ?? stand.folder, `standby-${Date.now()}`);
  await copyAsStandby(primary, dataDir);
  const standby = await FaultyPostgres.startStandby(dataDir);
  standbys.push(standby);
  await primary.set({ synchronous_standby_names: 'standby' });
  await until(
    'the standby is synchronous',
    async () => {
      const rows = await primary.run<{ sync_state: string }>('SELECT sync_state FROM pg_stat_replication');
      return rows.some(({ sync_state }) => sync_state === 'sync');
    },
    PATIENCE_MS,
  );
  const { username, password, host, pathname } = new URL(primary.url);
  const hosts = `${host},${new URL(standby.url).host}`;
  stand.env.DATABASE_URL = `postgres://${username}:${password}@${hosts}${pathname}?target_session_attrs=read-write`;
  await restartBy(allOf(stand), 'terminate');
}
