import type { Context } from '../../../platform/context.ts';
import { runOne, sql } from '../../../platform/postgres/db.ts';
import { testClockOf, type Payment } from './payment.ts';

type ClockColumns = Pick<Payment, 'test_clock' | 'clock_offset_ms' | 'clock_frozen_until'>;

const testClockById = sql<ClockColumns>(
  'clock_of_world',
  `SELECT test_clock, clock_offset_ms, clock_frozen_until FROM payments WHERE id = $1`,
);

/** The context in which a payment's work is done: its own clock and chain where its time was wound, else the one given. */
export function withTestClockOf(ctx: Context, payment: ClockColumns): Context {
  const clock = testClockOf(payment);
  if (clock === null || ctx.testClock?.id === clock.id) return ctx;
  return { ...ctx, testClock: clock, now: () => new Date(ctx.systemNow().getTime() + clock.offsetMs) };
}

/** The context of a world by its name; null while somebody holds its clock, and does its work himself. */
export async function contextOfTestClock(ctx: Context, testClock: string): Promise<Context | null> {
  const columns = await runOne(ctx.db, testClockById, [testClock]);
  if (columns === null) throw new Error(`there is no test clock ${testClock}`);
  const isHeld = columns.clock_frozen_until !== null && columns.clock_frozen_until > ctx.systemNow();
  return isHeld ? null : withTestClockOf(ctx, columns);
}
