import type { Context } from '../../../platform/context.ts';
import { reasonOf } from '../../../platform/logging/reasons.ts';
import { UnreachableError, type Check } from './monitor.ts';
import { probeWrites, recordBeat, type ProcessIdentity, type ProcessState } from './processes.ts';

/** SQLSTATEs of an unreachable server: no connection, or no response in time. */
const IS_ABSENCE = /^(?:08|28|3D|53(?!100|200)|57|55P03|25P04)/;

/** How often a process writes its row: a worker tells others what it finishes, web only probes. */
const EVERY_MS = { worker: 5_000, web: 10_000, watcher: 5_000 } as const;

/**
 * Whether Postgres responds and takes writes: the process writes its own row. Throws UnreachableError when
 * Postgres does not respond.
 */
export function databaseCheck(
  ctx: Context,
  process_: ProcessIdentity,
  state: () => ProcessState = () => ({}),
): Check {
  return writeCheck(EVERY_MS[process_.kind], () => recordBeat(ctx, process_, state()));
}

/** The same for a command, which is no process that others count: it leaves nothing. */
export function probeCheck(ctx: Context): Check {
  return writeCheck(0, () => probeWrites(ctx));
}

function writeCheck(everyMs: number, write: () => Promise<void>): Check {
  return {
    name: 'postgres',
    everyMs,
    async look() {
      try {
        await write();
        return [];
      } catch (error) {
        return [refusalOf(error)];
      }
    },
  };
}

/** Returns why a write was refused; throws UnreachableError when the server was not reached. */
function refusalOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const reason = reasonOf(error);
  if (/^[0-9A-Z]{5}$/.test(code) && !code.startsWith('E') && !IS_ABSENCE.test(code))
    return reason ?? `Postgres refuses a write (SQLSTATE ${code})`;
  throw new UnreachableError(
    reason?.startsWith('Postgres') === true
      ? reason
      : `Postgres cannot be reached${reason === null ? '' : `: ${reason}`}`,
  );
}
