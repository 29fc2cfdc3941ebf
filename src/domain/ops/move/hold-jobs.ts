import { setTimeout as sleep } from 'node:timers/promises';
import { IS_STUCK } from '../../schedule/parking.ts';
import type { Connection, Db, Tx } from '../../../platform/postgres/db.ts';
import { holdRun, type Run } from './runs.ts';
import { ask, literalOf } from './tables/rows.ts';
import { isOf } from './tables/table.ts';
import { MERCHANT_TABLES } from './tables/tables.ts';

const POLL_MS = 100;

const JOBS = MERCHANT_TABLES.find(({ name }) => name === 'scheduled_jobs');

function ownJobs(merchantId: string): string {
  if (JOBS === undefined) throw new Error('scheduled_jobs is no table of merchants');
  return isOf(JOBS, literalOf(merchantId));
}

/**
 * Holds a merchant's jobs: no worker leases one before `until`, in the database's time, when they are due
 * again by themselves. Returns how many are under way, deliveries included: of jobs that are leased, a worker
 * does what it has begun.
 */
async function holdJobs(tx: Tx, merchantId: string, until: string): Promise<number> {
  // A lease that is over, of a worker that is gone, holds nothing. What is parked waits for an operator, as
  // before.
  await ask(
    tx,
    `UPDATE scheduled_jobs t SET visible_at = $1, leased_by = NULL
     WHERE ${ownJobs(merchantId)} AND t.visible_at < $1::timestamptz
       AND (t.leased_by IS NULL OR t.visible_at <= clock_timestamp())`,
    [until],
  );
  const [row] = await ask<{ count: number }>(
    tx,
    `SELECT (SELECT count(*)::int FROM scheduled_jobs t WHERE ${ownJobs(merchantId)} AND t.leased_by IS NOT NULL)
       + (SELECT count(*)::int FROM webhook_endpoints
          WHERE merchant_id = $1 AND leased_until > clock_timestamp()) AS count`,
    [merchantId],
  );
  return row?.count ?? 0;
}

/**
 * Holds a merchant's jobs until none is under way; false: some still were at `deadlineMs` of the process's
 * clock. Throws MoveRefused where another run has taken the move over, whose jobs they are.
 */
export async function drainMerchant(
  db: Db,
  move: Pick<Run, 'merchantId' | 'run'>,
  { until, deadlineMs }: { until: string; deadlineMs: number },
): Promise<boolean> {
  for (;;) {
    const left = await db.transaction(async (tx) => {
      await holdRun(tx, move);
      return holdJobs(tx, move.merchantId, until);
    });
    if (left === 0) return true;
    if (performance.now() > deadlineMs) return false;
    await sleep(POLL_MS);
  }
}

/** Lets none of a merchant's jobs run any more. */
export async function freezeJobs(connection: Connection, merchantId: string): Promise<void> {
  await ask(
    connection,
    `UPDATE scheduled_jobs t SET visible_at = 'infinity', leased_by = NULL WHERE ${ownJobs(merchantId)}`,
  );
}

/**
 * Lets a merchant's jobs run again, each at its own time; those that a worker has leased meanwhile it
 * finishes.
 */
export async function releaseJobs(connection: Connection, merchantId: string): Promise<void> {
  await ask(
    connection,
    `UPDATE scheduled_jobs t SET visible_at = coalesce((
         SELECT greatest(t.run_at - make_interval(secs => p.clock_offset_ms::float8 / 1000), p.clock_frozen_until)
         FROM payments p WHERE p.id = t.test_clock), t.run_at)
     WHERE ${ownJobs(merchantId)} AND t.leased_by IS NULL
       AND NOT (t.parked_at IS NOT NULL AND ${IS_STUCK})`,
  );
}
