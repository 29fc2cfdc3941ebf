import { setTimeout as sleep } from 'node:timers/promises';
import { isUnavailable } from './unavailable.ts';

/** All together as long as a restart or a failover takes. */
const PAUSES_MS = [100, 250, 500, 1_000, 2_000, 4_000, 8_000, 8_000];

/**
 * Repeats a read for as long as Postgres is away, or does not finish it in time: what goes on for minutes
 * must not end with one moment in which the database is busy. `attempt` counts from 0, so that what was too
 * much at once can be asked for in smaller parts. Throws what the last attempt throws, and everything else.
 */
export async function patiently<Result>(read: (attempt: number) => Promise<Result>): Promise<Result> {
  for (const [attempt, pauseMs] of PAUSES_MS.entries())
    try {
      return await read(attempt);
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      await sleep(pauseMs);
    }
  return read(PAUSES_MS.length);
}
