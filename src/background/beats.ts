import { setTimeout as sleep } from 'node:timers/promises';
import { beatWorker, forgetWorker, type WorkerBeat } from '../domain/schedule/beats.ts';
import type { Context } from '../platform/context.ts';
import { faultOf } from '../platform/logging/reasons.ts';
import { openDb } from '../platform/postgres/db.ts';

const BEAT_MS = 1_000;
/** A worker whose beats have stood still for so long is gone: its work is taken over within 5 s. */
const SILENCE_MS = 3_000;

/** What a worker knows of itself and the others, as of its latest beat. */
export interface Standing {
  readonly leads: boolean;
  /** Workers that are gone. */
  readonly gone: readonly string[];
}

const UNKNOWN: Standing = { leads: false, gone: [] };

/** What a worker knows of the others: since when their beats stand still, on its own clock. */
export class Watch {
  readonly #seen = new Map<string, { readonly beats: string; readonly at: number }>();
  #readAt = -Infinity;

  /**
   * Notes what was read at `at` (milliseconds), and returns who is gone, and whether this worker, `own`,
   * leads: of those that live and may lead the first by id. A worker that has not read for a while has seen
   * nobody stand still.
   */
  note(own: string, others: readonly WorkerBeat[], at: number, mayLead: boolean): Standing {
    if (at - this.#readAt > SILENCE_MS / 2) this.#seen.clear();
    this.#readAt = at;
    for (const { id, beats } of others)
      if (this.#seen.get(id)?.beats !== beats) this.#seen.set(id, { beats, at });
    const isGone = ({ id }: WorkerBeat) => at - (this.#seen.get(id)?.at ?? at) >= SILENCE_MS;
    const gone = others.filter(isGone).map(({ id }) => id);
    for (const id of this.#seen.keys()) if (!others.some((one) => one.id === id)) this.#seen.delete(id);
    const first = others.some((one) => !isGone(one) && one.may_lead && one.id < own);
    return { gone, leads: mayLead && !first };
  }
}

/** The beats of a worker. */
export interface Beats {
  readonly standing: Standing;
  /** Records that the worker has ended, so that the others need not find out. */
  close(): Promise<void>;
}

/**
 * Records every second that the worker `id` lives, until it is closed, and watches the others. It has a
 * connection of its own: in a pool a beat would wait behind the runs of a busy worker, which would lose its
 * leases.
 */
export function startBeats(
  { config, log }: Pick<Context, 'config' | 'log'>,
  id: string,
  mayLead: () => boolean,
): Beats {
  const limits = { acquireMs: SILENCE_MS, queryMs: SILENCE_MS };
  const db = openDb({ url: config.databaseUrl, name: `beats ${process.pid}`, poolSize: 1, ...limits });
  const watch = new Watch();
  const stop = new AbortController();
  let standing = UNKNOWN;
  const loop = async () => {
    while (!stop.signal.aborted) {
      const begun = performance.now();
      try {
        const others = await beatWorker(db, id, mayLead());
        standing = watch.note(id, others, performance.now(), mayLead());
      } catch (error) {
        log.warn('beat of this worker failed; retrying in 1 s', faultOf(error));
        standing = UNKNOWN;
      }
      const pauseMs = Math.max(0, begun + BEAT_MS - performance.now());
      await sleep(pauseMs, undefined, { signal: stop.signal }).catch(() => undefined);
    }
  };
  const ended = loop();
  return {
    get standing() {
      return standing;
    },
    async close() {
      stop.abort();
      await ended;
      // Postgres may be why the process ends; then the others find that this worker is gone.
      await forgetWorker(db, id).catch(() => undefined);
      await db.destroy();
    },
  };
}
