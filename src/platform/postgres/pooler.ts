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
class PoolerError extends StartError {
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
  const open = () => openClient(url, 'inspect pooler', LIMITS);
  const first = await open();
  const opened = [first];
  try {
    if (backendOfKey(first) === (await backendOf(first))) return { mode: 'session', keepsPrepared: true };
    const second = await open();
    opened.push(second);
    return { mode: (await isShared(first, second)) ? 'transaction' : 'session', keepsPrepared: true };
  } catch (error) {
    if (losesPrepared(error)) return { mode: 'transaction', keepsPrepared: false };
    throw error;
  } finally {
    await Promise.all(opened.map((client) => client.end().catch(() => undefined)));
  }
}

/**
 * The first client is idle while the second has a transaction open. In transaction mode the second gets the
 * connection that the first had, or the first gets another one; either client then prepares a statement that
 * the connection knows already, or executes one that it does not know.
 */
async function isShared(first: pg.Client, second: pg.Client): Promise<boolean> {
  const [ofFirst, ofSecond] = [new Set<number>(), new Set<number>()];
  for (let round = 0; round < ROUNDS; round += 1) {
    const name = `inspect_${randomBytes(6).toString('hex')}`;
    const ask = async (client: pg.Client, statement = name) =>
      void (client === first ? ofFirst : ofSecond).add(await backendOf(client, statement));
    await ask(first);
    await second.query('BEGIN');
    await ask(second);
    const again = ask(first);
    await Promise.race([again, sleep(PATIENCE_MS, undefined, { ref: false })]);
    await Promise.all([second.query('ROLLBACK'), again]);
    // A pooler that takes its connections in turn may have given each client the same one so far.
    for (const client of [first, first, second]) await ask(client, `${name}_turn`);
  }
  return ofFirst.size > 1 || ofSecond.size > 1 || new Set([...ofFirst, ...ofSecond]).size === 1;
}

/** Also of PgBouncer's `pool_mode = statement`, which refuses every transaction. */
function losesPrepared(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const isMixedUp = 'code' in error && PREPARED_STATES.includes(String(error.code));
  return isMixedUp || /statement pooling mode/.test(error.message);
}

/** The backend that responds. */
export async function backendOf(client: pg.Client, name?: string): Promise<number> {
  return (await client.query<{ pid: number }>({ name, text: BACKEND })).rows[0]?.pid ?? 0;
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
