import type { Context } from '../../../platform/context.ts';
import { clockFault, stateOf } from '../../../platform/database-clock/report.ts';
import type { Check } from './monitor.ts';
import { findProcesses } from './processes.ts';

const EVERY_MS = 10_000;

/** Whether the machines of this process and of every other have the time of the database. */
export function clocksCheck(ctx: Context): Check {
  return {
    name: 'clocks',
    everyMs: EVERY_MS,
    async look() {
      const own = clockFault(ctx.clock);
      const processes = await findProcesses(ctx.db, ctx.systemNow());
      const off = processes.filter(
        ({ isAlive, clockOffsetMs }) =>
          isAlive && clockOffsetMs !== null && stateOf(clockOffsetMs / 1_000) !== 'right',
      );
      const others = off.length - (own === null ? 0 : 1);
      return [
        ...(own === null ? [] : [own]),
        ...(others > 0 ? [`the clocks of ${others} other processes are off`] : []),
      ];
    },
  };
}
