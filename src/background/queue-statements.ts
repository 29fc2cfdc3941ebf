import { setTimeout as sleep } from 'node:timers/promises';
import type { Queue } from 'bullmq';
import type pg from 'pg';
import { isOutdated } from '../platform/postgres/unavailable.ts';

type Query = (query: string | pg.QueryConfig, values?: unknown[]) => Promise<pg.QueryResult>;

/**
 * The statements that read whether a limit holds a queue's jobs back, and when its next delayed job is due. A
 * worker runs both before each wait; only an operator limits a queue, and delays are the scheduled jobs'.
 */
const SIGNALS = /\b(?:next_signal|next_delay)\(/;
/** How long the reply that nothing is limited or delayed is kept. */
const KEPT_MS = 100;

/**
 * Names BullMQ's statements, so that each connection parses and plans them once, and caches the replies that
 * nothing is limited or delayed. After a migration of BullMQ's tables a connection has plans for the old
 * columns: its statement fails without effect, the pool discards the connection, as after each error, and the
 * statement runs on another one.
 */
export function nameStatements(pool: pg.Pool): void {
  const known = new Map<string, { readonly name: string; readonly isSignal: boolean }>();
  const query = pool.query.bind(pool) as Query;
  const nameOf = (text: string) => {
    const statement = known.get(text) ?? { name: `queue_${known.size}`, isSignal: SIGNALS.test(text) };
    known.set(text, statement);
    return statement;
  };
  const keep = keptReplies();
  const queryNamed: Query = async (text, values) => {
    if (typeof text !== 'string' || values === undefined) return query(text, values);
    const { name, isSignal } = nameOf(text);
    for (;;)
      try {
        const ask = () => query({ name, text, values });
        return await (isSignal ? keep(`${name} ${String(values[0])}`, ask) : ask());
      } catch (error) {
        if (!(error instanceof Error && isOutdated(error))) throw error;
      }
  };
  Object.assign(pool, { query: queryNamed });
}

/** Keeps, by key, each reply that nothing is limited or delayed. */
function keptReplies() {
  const kept = new Map<string, { readonly result: pg.QueryResult<object>; readonly until: number }>();
  return async (key: string, ask: () => Promise<pg.QueryResult<object>>): Promise<pg.QueryResult> => {
    const known = kept.get(key);
    if (known !== undefined && performance.now() < known.until) return known.result;
    const result = await ask();
    const isQuiet = result.rows.every((row) => Object.values(row).every((value) => Number(value ?? 0) === 0));
    if (isQuiet) kept.set(key, { result, until: performance.now() + KEPT_MS });
    else kept.delete(key);
    return result;
  };
}

/**
 * Up to this many jobs are added one by one, at 0.7 ms each; the statement for many took 9 ms for three jobs
 * on average (pg_stat_statements).
 */
const FEW_JOBS = 8;

/**
 * After an addition a queue rests for this many times as long as that took, at most REST_MS: runs that are
 * enqueued meanwhile share the next addition. A job of a queue takes 2 ms of the server, whatever its run
 * leases.
 */
const REST_FACTOR = 3;
const REST_MS = 30;

interface JobTarget {
  add(...job: Parameters<Queue['add']>): Promise<unknown>;
  addBulk(jobs: Parameters<Queue['addBulk']>[0]): Promise<unknown>;
}

/**
 * For queues on Postgres: they rest after each addition, and add few jobs one by one, because BullMQ's
 * statement for many creates two temporary tables there.
 */
export function addSparingly<Target extends JobTarget>(queue: Target): Target {
  const addMany = queue.addBulk.bind(queue);
  const addBulk: JobTarget['addBulk'] = async (jobs) => {
    const startedAt = performance.now();
    if (jobs.length > FEW_JOBS) await addMany(jobs);
    else await Promise.all(jobs.map(({ name, data, opts }) => queue.add(name, data, opts)));
    const restMs = Math.min(REST_MS, REST_FACTOR * (performance.now() - startedAt));
    await sleep(restMs, undefined, { ref: false });
  };
  return Object.assign(queue, { addBulk });
}
