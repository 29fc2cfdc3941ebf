import { schedule } from '../../schedule/store.ts';
import { run, sql, type Tx } from '../../../platform/postgres/db.ts';
import { requotePayment } from '../lifecycle/jobs.ts';
import { testClockOf, type Payment } from '../lifecycle/payment.ts';
import { HAS_QUARANTINED } from '../lifecycle/quarantine.ts';

/** SQL: when the requote of each of the payments `p` is due: when its first lock ends before its deadline. */
export const REQUOTES = (which: string) => `
  SELECT p.id, q.ends_at, p.test_clock
  FROM payments p CROSS JOIN LATERAL (
    SELECT min(locked_until) AS ends_at FROM quotes
    WHERE payment_id = p.id AND locked_until < p.deadline_at
  ) q
  WHERE ${which}
    AND q.ends_at IS NOT NULL AND NOT ${HAS_QUARANTINED('p.id')}`;

const earliestLockEnds = sql<
  { id: string; ends_at: Date; test_clock: string | null },
  { paymentIds: readonly string[] }
>('earliest_lock_ends', (p) => REQUOTES(`p.id = ANY (${p.paymentIds})`));

/**
 * Schedules the requote of each payment for when the first of its locks ends, if that is before the deadline.
 * Applying transfers that are quarantined schedules it for their payment.
 */
export async function scheduleRequote(tx: Tx, payments: readonly Payment[]): Promise<void> {
  if (payments.length === 0) return;
  const ends = await run(tx, earliestLockEnds, { paymentIds: payments.map(({ id }) => id) });
  const endOf = new Map(ends.map(({ id, ends_at }) => [id, ends_at]));
  await schedule(
    tx,
    payments.flatMap((payment) => {
      const runAt = endOf.get(payment.id);
      if (runAt === undefined) return [];
      return [{ job: requotePayment, key: payment.id, runAt, testClock: testClockOf(payment) }];
    }),
  );
}
