import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Migration } from './files.ts';
import { MigrationError, sessionsBlocking, sessionsText, type OtherSession, type Report } from './session.ts';
import { dropInvalidIndex, existsIndex } from './indexes.ts';

/** Holds the names of the migrations that ran. */
export const TABLE = 'schema_migrations';

/**
 * How long a statement waits for a lock. Everybody else's statements on the table queue behind it, and a web
 * process waits 0.9 s for a lock: what a migration takes from their time stays below the half of that.
 */
const LOCK_MS = 400;
/** Between two tries, doubled each time: the queue behind the migration empties. */
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 5_000;
const WATCH_EVERY_MS = 100;
/** How often a migration that goes on waiting says so. */
const REPORT_EVERY_MS = 10_000;
/** SQLSTATEs of a migration that met others: a deadlock, a lock that was not free in time, a conflict. */
const MET_OTHERS = new Set(['40P01', '55P03', '40001']);

export interface Connections {
  readonly worker: pg.Client;
  readonly workerPid: number;
  /** Looks at what the worker waits for. */
  readonly watcher: pg.Client;
  readonly report: Report;
  /** How long a migration is tried again. */
  readonly patienceMs: number;
}

/**
 * Runs one migration and records it. A migration in a transaction is repeated as a whole when it met others;
 * one without, statement by statement. Throws MigrationError, which names who is in the way, when that goes
 * on for longer than `patienceMs`.
 */
export async function applyMigration(connections: Connections, migration: Migration): Promise<void> {
  if (migration.config.transaction)
    return retried(connections, migration.name, () => inTransaction(connections.worker, migration));
  for (const statement of migration.statements)
    await retried(connections, migration.name, () => alone(connections, statement));
  await retried(connections, migration.name, () =>
    inTransaction(connections.worker, { ...migration, statements: [] }),
  );
}

async function inTransaction(worker: pg.Client, { name, statements }: Migration): Promise<void> {
  await worker.query('BEGIN ISOLATION LEVEL READ COMMITTED');
  try {
    await worker.query(setTimeouts(LOCK_MS, true));
    // Against a release whose guard lost its connection and that still works.
    await worker.query(`LOCK TABLE ${TABLE} IN SHARE ROW EXCLUSIVE MODE`);
    const { rowCount } = await worker.query(`SELECT FROM ${TABLE} WHERE name = $1`, [name]);
    if (rowCount === 0) {
      for (const statement of statements) await worker.query(statement);
      await worker.query(
        `INSERT INTO ${TABLE} (name, batch, migration_time)
         SELECT $1, coalesce(max(batch), 0) + 1, clock_timestamp() FROM ${TABLE}`,
        [name],
      );
    }
    await worker.query('COMMIT');
  } catch (error) {
    await worker.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/**
 * A statement outside of a transaction. What runs CONCURRENTLY may wait as long as the migration may take:
 * nobody queues behind it. What an interrupted build left is dropped first.
 */
async function alone({ worker, patienceMs }: Connections, statement: string): Promise<void> {
  const isConcurrent = /\bCONCURRENTLY\b/i.test(statement);
  const index = BUILT_INDEX.exec(statement)?.[1];
  await worker.query(setTimeouts(isConcurrent ? patienceMs : LOCK_MS, false));
  try {
    if (index !== undefined) await dropInvalidIndex(worker, index);
    // A release that was killed before it recorded the migration may have built it.
    if (index === undefined || !(await existsIndex(worker, index))) await worker.query(statement);
  } finally {
    await worker.query('RESET ALL').catch(() => undefined);
  }
}

const BUILT_INDEX = /^\s*CREATE\s+(?:UNIQUE\s+)?INDEX\s+CONCURRENTLY\s+(?:IF\s+NOT\s+EXISTS\s+)?(\w+)/im;

/**
 * A migration takes as long as it takes, whatever the role's own settings are; only its waits for locks are
 * limited. In a transaction the settings end with it: behind a pooler the next client must not get them.
 */
function setTimeouts(lockMs: number, isLocal: boolean): string {
  return `SELECT set_config(name, CASE name WHEN 'lock_timeout' THEN '${lockMs}' ELSE '0' END, ${isLocal})
    FROM pg_settings WHERE name IN ('statement_timeout', 'lock_timeout', 'transaction_timeout',
      'idle_in_transaction_session_timeout')`;
}

async function retried(connections: Connections, name: string, run: () => Promise<void>): Promise<void> {
  const { patienceMs, report } = connections;
  const end = performance.now() + patienceMs;
  let pauseMs = FIRST_PAUSE_MS;
  for (let attempt = 1; ; attempt += 1) {
    const watch = watchBlockers(connections, name);
    const error = await run().catch((reason: unknown) =>
      reason instanceof Error ? reason : new Error(String(reason)),
    );
    const blockers = await watch.stop();
    if (error === undefined) return;
    const code = 'code' in error ? String(error.code) : '';
    if (!MET_OTHERS.has(code)) throw error;
    const by = sessionsText(blockers);
    if (performance.now() + pauseMs > end)
      throw new MigrationError(
        `Migration ${name} met other transactions for ${Math.round(patienceMs / 1000)} s (${attempt} tries, ` +
          `last ${code}). In its way: ${by}. Nothing of it was done, and the previous release can go on. ` +
          'Run the release again when they have ended.',
      );
    report('warn', 'a migration met other transactions and is tried again', {
      migration: name,
      attempt,
      code,
      by,
    });
    await sleep(pauseMs * (0.75 + Math.random() / 2));
    pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS);
  }
}

/** Remembers whom the worker waited for last: a statement that gave up no longer waits. */
function watchBlockers({ workerPid, watcher, report }: Connections, name: string) {
  let last: OtherSession[] = [];
  let reportAt = performance.now() + REPORT_EVERY_MS;
  const over = new AbortController();
  const look = async () => {
    for (; !over.signal.aborted; await sleep(WATCH_EVERY_MS, undefined, { signal: over.signal })) {
      const now = await sessionsBlocking(watcher, workerPid);
      if (now.length > 0) last = now;
      if (now.length === 0 || performance.now() < reportAt) continue;
      report('info', 'a migration waits for other transactions', { migration: name, by: sessionsText(now) });
      reportAt = performance.now() + REPORT_EVERY_MS;
    }
  };
  const looking = look().catch(() => undefined);
  return {
    async stop() {
      over.abort();
      await looking;
      return last;
    },
  };
}
