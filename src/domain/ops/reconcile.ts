import { expirePayment, sendRefund, settlePayment } from '../payments/lifecycle/jobs.ts';
import { deliverWebhook } from '../webhooks/endpoints/jobs.ts';
import { JOB_COLUMNS } from '../schedule/rows.ts';
import { addSeconds } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { run, sql } from '../../platform/postgres/db.ts';
import { firstIdAt } from '../../platform/values/ids.ts';

/**
 * Covers the longest deadline of a payment and its late window (24 h each), and the retries of a delivery,
 * unless its receiver asks for more time again and again.
 */
const LOOK_BACK_SECONDS = 5 * 86_400;

interface Needed {
  readonly now: Date;
  readonly firstPayment: string;
  readonly firstRefund: string;
  readonly expire: string;
  readonly settle: string;
  readonly refund: string;
  readonly deliver: string;
}

// Each of these rows was written in one transaction with its job, so on a sound database this finds nothing.
// It is for the day after a restored backup, a row deleted by hand or a bug. Indexes: a range of the primary
// keys of payments and refunds, which are in the order of time (an index on the status would cost every
// transition more than this costs in a day), conversions_pending and deliveries_due.
const restoreJobs = sql<{ job: string; key: string }, Needed>(
  'restore_missing_jobs',
  (p) => `INSERT INTO scheduled_jobs (${JOB_COLUMNS})
   SELECT job, key, run_at, greatest(run_at, ${p.now}), test_clock FROM (
     SELECT ${p.expire}::text AS job, id AS key, deadline_at AS run_at, test_clock
       FROM payments WHERE id >= ${p.firstPayment} AND status IN ('WAITING', 'PENDING') AND NOT fully_funded
     UNION ALL
     SELECT ${p.settle}, id, ${p.now}::timestamptz, test_clock
       FROM payments WHERE id >= ${p.firstPayment} AND status = 'PROCESSING'
     UNION ALL
     SELECT ${p.settle}, payment_id, ${p.now}::timestamptz,
         (SELECT test_clock FROM payments p WHERE p.id = payment_id)
       FROM conversions WHERE status = 'PENDING'
     UNION ALL
     SELECT ${p.refund}, id, created_at, (SELECT test_clock FROM payments p WHERE p.id = payment_id)
       FROM refunds WHERE id >= ${p.firstRefund} AND status = 'PENDING'
     UNION ALL
     SELECT ${p.deliver}, endpoint_id, min(next_attempt_at),
         (SELECT test_clock FROM payments p WHERE p.id = endpoint_id)
       FROM deliveries WHERE status = 'pending' GROUP BY endpoint_id
   ) needed
   WHERE NOT EXISTS (SELECT FROM scheduled_jobs d WHERE d.job = needed.job AND d.key = needed.key)
   LIMIT 1000
   ON CONFLICT DO NOTHING
   RETURNING job, key`,
);

/**
 * Finds open payments, refunds and deliveries whose job is missing and schedules it; returns how many there
 * were.
 */
export async function reconcileOnce(ctx: Context): Promise<number> {
  const now = ctx.now();
  const since = addSeconds(now, -LOOK_BACK_SECONDS);
  const restored = await run(ctx.db, restoreJobs, {
    now,
    firstPayment: firstIdAt('pay', since),
    firstRefund: firstIdAt('ref', since),
    expire: expirePayment.name,
    settle: settlePayment.name,
    refund: sendRefund.name,
    deliver: deliverWebhook.name,
  });
  for (const { job, key } of restored)
    ctx.log.error('reconciler: a scheduled job was missing; scheduled again', { job, key });
  return restored.length;
}
