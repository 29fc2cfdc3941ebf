import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { holderOfLock, MigrationError, sessionsText, type Report } from './session.ts';

/** An arbitrary number, the same in every release process of this service. */
const MIGRATION_LOCK = 7_201_511;
const ASK_EVERY_MS = 200;
/** How often a release that waits says so. */
const REPORT_EVERY_MS = 10_000;

/**
 * Takes the lock that lets one release work, in a transaction of `guard` that stays open until the release is
 * over. A lock of a transaction cannot outlive it: a pooler that lends a server connection for one
 * transaction keeps it for this client, and ends it with the client. A lock of the session would stay with
 * the server connection, and the next release would wait for ever. The open transaction has no number and no
 * snapshot, so neither autovacuum nor CREATE INDEX CONCURRENTLY waits for it. Throws MigrationError when
 * another release still works after `patienceMs`.
 */
export async function lockMigrations(guard: pg.Client, patienceMs: number, report: Report): Promise<void> {
  const begun = performance.now();
  let reportAt = begun;
  while (!(await tryLock(guard))) {
    const now = performance.now();
    const mustStop = now - begun > patienceMs;
    if (mustStop || now >= reportAt) {
      const holder = await holderOfLock(guard, MIGRATION_LOCK);
      const by = sessionsText(holder === null ? [] : [holder]);
      if (mustStop)
        throw new MigrationError(
          `Another release migrates this database since more than ${Math.round(patienceMs / 1000)} s: ${by}. ` +
            'Run this release again when it has ended, or end it with pg_terminate_backend.',
        );
      report('info', 'another release migrates this database; waiting for its end', { release: by });
      reportAt = now + REPORT_EVERY_MS;
    }
    await sleep(ASK_EVERY_MS);
  }
}

/**
 * Asks instead of waiting inside a statement: such a waiter has a snapshot, and CREATE INDEX CONCURRENTLY of
 * the release that holds the lock would wait for its end.
 */
async function tryLock(guard: pg.Client): Promise<boolean> {
  await guard.query('BEGIN ISOLATION LEVEL READ COMMITTED');
  // The server must not end the guard while the release works.
  await guard.query(
    `SELECT set_config(name, '0', true) FROM pg_settings
     WHERE name IN ('idle_in_transaction_session_timeout', 'transaction_timeout', 'idle_session_timeout')`,
  );
  // Without a parameter: the driver would send it by the extended protocol, whose portal keeps the snapshot
  // until the next statement, and CREATE INDEX CONCURRENTLY would wait for this transaction.
  const ask = `SELECT pg_try_advisory_xact_lock(${MIGRATION_LOCK}) AS locked`;
  const { rows } = await guard.query<{ locked: boolean }>(ask);
  if (rows[0]?.locked === true) return true;
  await guard.query('ROLLBACK');
  return false;
}
