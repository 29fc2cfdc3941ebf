import type { Context } from '../../platform/context.ts';
import { runOne, sql } from '../../platform/db.ts';
import { clockOf, type Payment } from './payment.ts';

type ClockColumns = Pick<Payment, 'world' | 'clock_offset_ms' | 'clock_held_until'>;

const clockOfWorld = sql<ClockColumns>(
  'clock_of_world',
  `SELECT world, clock_offset_ms, clock_held_until FROM payments WHERE id = $1`,
);

/** The context in which a payment's work is done: its own clock and chain where its time was wound, else the one given. */
export function inWorldOf(ctx: Context, payment: ClockColumns): Context {
  const clock = clockOf(payment);
  if (clock === null || ctx.clock?.world === clock.world) return ctx;
  return { ...ctx, clock, now: () => new Date(ctx.wall().getTime() + clock.offsetMs) };
}

/** The context of a world by its name; null while somebody holds its clock, and does its work himself. */
export async function enterWorld(ctx: Context, world: string): Promise<Context | null> {
  const columns = await runOne(ctx.db, clockOfWorld, [world]);
  if (columns === null) throw new Error(`there is no world ${world}`);
  const isHeld = columns.clock_held_until !== null && columns.clock_held_until > ctx.wall();
  return isHeld ? null : inWorldOf(ctx, columns);
}
