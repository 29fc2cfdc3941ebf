import type { Context } from '../../../platform/context.ts';
import { runOne, sql } from '../../../platform/postgres/db.ts';
import { testClockOf, type ClockColumns } from './payment.ts';

const clockColumnsById = sql<ClockColumns, { id: string }>(
  'clock_of_payment',
  (p) => `SELECT test_clock, clock_offset_ms, clock_frozen_until FROM payments WHERE id = ${p.id}`,
);

/**
 * Returns the context for a payment's work: with its test clock and chain when it is isolated, else `ctx`.
 */
export function withTestClockOf(ctx: Context, payment: ClockColumns): Context {
  const testClock = testClockOf(payment);
  if (testClock === null || ctx.testClock?.id === testClock.id) return ctx;
  return { ...ctx, testClock, now: () => new Date(ctx.systemNow().getTime() + testClock.offsetMs) };
}

/**
 * Returns the context of a test clock; null while the clock is frozen: the request that froze it runs its
 * jobs.
 */
export async function contextOfTestClock(ctx: Context, id: string): Promise<Context | null> {
  const columns = await runOne(ctx.db, clockColumnsById, { id });
  if (columns === null) throw new Error(`test clock ${id} does not exist`);
  const isFrozen = columns.clock_frozen_until !== null && columns.clock_frozen_until > ctx.systemNow();
  return isFrozen ? null : withTestClockOf(ctx, columns);
}
