import type pg from 'pg';
import { isOutdated } from '../platform/postgres/unavailable.ts';

type Query = (query: string | pg.QueryConfig, values?: unknown[]) => Promise<pg.QueryResult>;

/**
 * Names the statements of BullMQ, so that each connection parses and plans them once. After a migration of
 * BullMQ's tables a connection knows them for the old columns: then nothing was done, the pool has discarded
 * the connection, as after each error, and another one is asked.
 */
export function nameStatements(pool: pg.Pool): void {
  const names = new Map<string, string>();
  const query = pool.query.bind(pool) as Query;
  const nameOf = (text: string): string => {
    const name = names.get(text) ?? `queue_${names.size}`;
    names.set(text, name);
    return name;
  };
  const queryNamed: Query = async (text, values) => {
    if (typeof text !== 'string' || values === undefined) return query(text, values);
    for (;;)
      try {
        return await query({ name: nameOf(text), text, values });
      } catch (error) {
        if (!(error instanceof Error && isOutdated(error))) throw error;
      }
  };
  Object.assign(pool, { query: queryNamed });
}

/** What BullMQ's backend asks Postgres; its types leave it out. */
export interface Asking {
  run(command: string, params: unknown[]): Promise<pg.QueryResult<Record<string, unknown>>>;
}

/** Whether a limit holds a queue's jobs back, and when its next delayed job is due. */
const SIGNALS: ReadonlySet<string> = new Set(['next_signal', 'next_delay']);
const KEPT_MS = 100;

/**
 * Keeps the reply that nothing is limited or delayed for a moment. A worker asks twice before each wait, and
 * only an operator limits a queue; the scheduled jobs know delays themselves.
 */
export function keepSignals(backend: Asking): void {
  const kept = new Map<string, { readonly result: pg.QueryResult; readonly until: number }>();
  const run = backend.run.bind(backend);
  backend.run = async (command, params) => {
    if (!SIGNALS.has(command)) return run(command, params);
    const known = kept.get(command);
    if (known !== undefined && performance.now() < known.until) return known.result;
    const result = await run(command, params);
    const isQuiet = result.rows.every((row) => Object.values(row).every((value) => Number(value ?? 0) === 0));
    if (isQuiet) kept.set(command, { result, until: performance.now() + KEPT_MS });
    else kept.delete(command);
    return result;
  };
}
