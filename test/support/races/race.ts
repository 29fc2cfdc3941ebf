import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Caller } from '../../../src/domain/api/endpoint.ts';
import type { Context } from '../../../src/platform/context.ts';
import { ApiError } from '../../../src/domain/api/errors.ts';
import type { Harness } from '../harness.ts';
import type { Actor } from './actors.ts';
import { openPausableDb, PAUSE_LOCK, type PausableDb, type Pause } from './pausable-db.ts';

/** What became of an actor: its name, and how it failed, if it did. */
export interface Ended {
  readonly actor: string;
  /** Null: it did its work, or refused it with an error of the API below 500. */
  readonly error: Error | null;
}

/** Two actors that met. */
export interface Race {
  readonly ended: readonly Ended[];
  readonly pausedBefore: string;
  /** The second waited, inside a statement, for a lock of the first. */
  readonly didWait: boolean;
  /** The first had nothing left to do but what it was paused before. */
  readonly wasLast: boolean;
}

/** Two actors, each with a pool of connections of its own, as two processes have. */
export interface Racers<Raced> {
  /** Runs `first` to its end, then `second`. Returns the statements that `first` sent. */
  inTurn(first: string, second: string, payment: Raced): Promise<{ ended: Ended[]; sent: readonly string[] }>;
  /**
   * Runs `first` up to a pause, then `second` until it has ended or waits for a lock of
   * the first, and then both to their ends. Null: `first` ended before.
   */
  race(first: string, second: string, payment: Raced, pause: Pause): Promise<Race | null>;
  close(): Promise<void>;
}

/** A racer that waits goes on waiting: how often it is looked at decides only how long a race takes. */
const LOOK_EVERY_MS = 4;

const IS_WAITING = `
  SELECT EXISTS (
    SELECT FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = $1 AND wait_event_type = 'Lock') AS is_waiting`;

export async function openRacers<Raced>(
  { ctx, adapters }: Pick<Harness, 'ctx' | 'adapters'>,
  caller: Caller,
  actors: Readonly<Record<string, Actor<Raced>>>,
): Promise<Racers<Raced>> {
  const url = ctx.config.databaseUrl;
  const [one, two] = [openPausableDb(url, 'first racer'), openPausableDb(url, 'second racer')] as const;
  const gate = new pg.Client({ connectionString: url });
  await gate.connect();

  const act = async (racer: PausableDb, actor: string, payment: Raced): Promise<Ended> => {
    const own: Context = { ...ctx, db: racer.db };
    try {
      await actors[actor]?.({ ctx: own, adapters, caller, payment, racer });
      return { actor, error: null };
    } catch (error) {
      if (error instanceof ApiError && error.status < 500) return { actor, error: null };
      return { actor, error: error instanceof Error ? error : new Error(String(error)) };
    }
  };

  /** Resolves when the second racer has ended (false), or waits for a lock of the first (true). */
  const untilEndedOrWaiting = async (ends: Promise<unknown>) => {
    for (;;) {
      if (await Promise.race([ends.then(() => true), sleep(LOOK_EVERY_MS, false)])) return false;
      const { rows } = await gate.query<{ is_waiting: boolean }>(IS_WAITING, [two.name]);
      if (rows[0]?.is_waiting === true) return true;
    }
  };

  return {
    async inTurn(first, second, payment) {
      one.pauseBefore(null);
      two.pauseBefore(null);
      const before = await act(one, first, payment);
      const { sent } = one;
      return { ended: [before, await act(two, second, payment)], sent };
    },
    async race(first, second, payment, pause) {
      one.pauseBefore(pause);
      two.pauseBefore(null);
      await gate.query('SELECT pg_advisory_lock($1)', [PAUSE_LOCK]);
      const firstEnds = act(one, first, payment);
      const pausedBefore = await Promise.race([one.paused, firstEnds.then(() => null)]);
      const before = one.sent.length;
      const secondEnds = pausedBefore === null ? null : act(two, second, payment);
      const didWait = secondEnds !== null && (await untilEndedOrWaiting(secondEnds));
      await gate.query('SELECT pg_advisory_unlock($1)', [PAUSE_LOCK]);
      const ended = await firstEnds;
      if (pausedBefore === null || secondEnds === null) return null;
      const wasLast = one.sent.length === before;
      return { ended: [ended, await secondEnds], pausedBefore, didWait, wasLast };
    },
    async close() {
      await Promise.all([gate.end(), one.db.destroy(), two.db.destroy()]);
    },
  };
}
