import { runOne, sql, type Db } from '../../src/platform/postgres/db.ts';
import { until } from './until.ts';

const waiting = sql<{ count: number }>(
  'test_waiting_for_locks',
  `SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
);

/** Resolves when so many statements in the test's database wait for a lock. */
export async function untilWaitingForLocks(db: Db, count = 1): Promise<void> {
  await until(
    `${count} statements wait for a lock`,
    async () => (await runOne(db, waiting, []))?.count === count,
  );
}
