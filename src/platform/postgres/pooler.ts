import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { StartError } from '../config/config.ts';
import { openClient } from './client.ts';

/**
 * What is between the service and Postgres. `session`: nothing, or a pooler that keeps a client on one
 * connection. `transaction`: a pooler that gives each transaction the connection that is free.
 */
export interface Pooling {
  readonly mode: 'session' | 'transaction';
  /** Whether a statement that was prepared by name is found on every connection. */
  readonly keepsPrepared: boolean;
}

/** The pooler cannot serve this service as it is set up. A request gets 503 meanwhile. */
export class PoolerError extends StartError {
  override readonly name = 'PoolerError';
  readonly code = '08000';
}

const BACKEND = 'SELECT pg_backend_pid() AS pid';
/** SQLSTATEs of a prepared statement that does not exist, or exists, where a pooler does not know of it. */
const PREPARED_STATES = ['26000', '42P05'];
/** Another client takes the connection between two questions only when the pooler is busy. */
const ROUNDS = 5;
/** A pool of one connection makes the second client wait for the first: it is freed after this long. */
const PATIENCE_MS = 1_000;
const LIMITS = { connectMs: 5_000, queryMs: 5_000 };

/**
 * The backend that the connection's cancel key names, which the driver keeps. A pooler hands out keys of its
 * own: where this is not the backend that responds, a pooler is between.
 */
export function backendOfKey(client: pg.ClientBase): number | null {
  return 'processID' in client && typeof client.processID === 'number' ? client.processID : null;
}

/** Opens two connections for a moment and finds out how the pooler shares Postgres's connections. */
export async function inspectPooling(url: string): Promise<Pooling> {
  const first = await openClient(url, 'inspect pooler', LIMITS);
  try {
    const pid = await backendOf(first);
    if (backendOfKey(first) === pid) return { mode: 'session', keepsPrepared: true };
    const second = await openClient(url, 'inspect pooler', LIMITS);
    try {
      return await compare(first, second);
    } finally {
      await end(second);
    }
  } finally {
    await end(first);
  }
}

/**
 * The first client is idle while the second has a transaction open. In transaction mode the second gets the
 * connection that the first had, or the first gets another one; either client then prepares a statement that
 * the connection knows already, or executes one that it does not know.
 */
async function compare(first: pg.Client, second: pg.Client): Promise<Pooling> {
  let isShared = false;
  for (let round = 0; round < ROUNDS; round += 1) {
    const name = `inspect_${randomBytes(6).toString('hex')}`;
    const before = await prepared(first, name);
    if (!(await begins(second))) return { mode: 'transaction', keepsPrepared: false };
    try {
      const between = await prepared(second, name);
      const after = await Promise.race([prepared(first, name), freeLater(second)]);
      const pids = [before, between, after ?? (await prepared(first, name))];
      isShared ||= pids.includes('unknown') || pids[0] === pids[1] || pids[0] !== pids[2];
      if (pids.includes('unknown')) return { mode: 'transaction', keepsPrepared: false };
    } finally {
      await second.query('ROLLBACK');
    }
    // A pooler that takes its connections in turn may have given each client the same one so far.
    for (const client of [first, first, second]) {
      const backend = await prepared(client, `${name}_turn`);
      if (backend === 'unknown') return { mode: 'transaction', keepsPrepared: false };
      isShared ||= client === first && backend !== before;
    }
  }
  return { mode: isShared ? 'transaction' : 'session', keepsPrepared: true };
}

/** False in PgBouncer's `pool_mode = statement`, which refuses every transaction. */
async function begins(client: pg.Client): Promise<boolean> {
  try {
    await client.query('BEGIN');
    return true;
  } catch (error) {
    if (error instanceof Error && /statement pooling mode/.test(error.message)) return false;
    throw error;
  }
}

async function freeLater(client: pg.Client): Promise<null> {
  await sleep(PATIENCE_MS, undefined, { ref: false });
  await client.query('ROLLBACK');
  return null;
}

/** The backend that executes the statement `name`; `unknown` when the pooler mixed prepared statements up. */
async function prepared(client: pg.Client, name: string): Promise<number | 'unknown'> {
  try {
    const { rows } = await client.query<{ pid: number }>({ name, text: BACKEND });
    return rows[0]?.pid ?? 0;
  } catch (error) {
    if (error instanceof Error && 'code' in error && PREPARED_STATES.includes(String(error.code)))
      return 'unknown';
    throw error;
  }
}

/** The backend that responds. */
export async function backendOf(client: pg.Client): Promise<number> {
  return (await client.query<{ pid: number }>(BACKEND)).rows[0]?.pid ?? 0;
}

async function end(client: pg.Client): Promise<void> {
  await client.end().catch(() => undefined);
}

/** Throws PoolerError unless prepared statements survive in the pooler. */
export function assertKeepsPrepared({ keepsPrepared }: Pooling): void {
  if (keepsPrepared) return;
  throw new PoolerError(
    'The pooler of DATABASE_URL gives each transaction another connection and loses prepared statements. With PgBouncer 1.21 or newer set max_prepared_statements = 200; otherwise set pool_mode = session for this database, or let DATABASE_URL name Postgres itself',
  );
}

/**
 * Throws PoolerError when a pooler in transaction mode is between: `who` needs one connection for itself.
 * `variable` names the one that holds the URL.
 */
export async function assertSession(
  url: string,
  { who, variable }: { who: string; variable: string },
): Promise<void> {
  if ((await inspectPooling(url)).mode === 'session') return;
  throw new PoolerError(
    `${variable} leads through a pooler that gives each transaction another connection, and ${who} needs one for itself. Set DATABASE_DIRECT_URL to Postgres itself, or to a pooler with pool_mode = session`,
  );
}
