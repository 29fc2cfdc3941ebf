import { runOne, sql, type Db, type Tx } from '../../src/platform/postgres/db.ts';
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

/**
 * Runs `act` against a lock: a transaction of another connection does `change`, which locks rows; `act`
 * begins, and waits inside one of its statements; then the transaction does `more`, and commits, and `act`
 * goes on. Returns its result. Throws when it ends without waiting, and when each waits for the other.
 */
export async function waitingFor<Result>(
  db: Db,
  change: (tx: Tx) => Promise<unknown>,
  act: () => Promise<Result>,
  more: (tx: Tx) => Promise<unknown> = () => Promise.resolve(),
): Promise<Result> {
  const tx = await db.transaction();
  try {
    await change(tx);
    const acting = act();
    const early = acting.then(() => {
      if (!tx.isCompleted()) throw new Error('the actor ended without waiting for the lock');
    });
    await Promise.race([untilWaitingForLocks(db), early]);
    await more(tx);
    await tx.commit();
    return await acting;
  } finally {
    if (!tx.isCompleted()) await tx.rollback();
  }
}
