import type pg from 'pg';
import { openClient } from './client.ts';
import { run, runOne, sql, type Connection, type Tx } from './db.ts';

/** How long the connection may take to say that it lives, and to be opened. */
const ANSWER_MS = 3_000;

/**
 * The server ends the session of a process that was killed at once; that of a machine that is gone, or cut
 * off, when it has not answered for so long. Unix sockets have no such settings, and need none.
 */
const NOTICE_GONE = `SELECT set_config('tcp_keepalives_idle', '3', false),
  set_config('tcp_keepalives_interval', '2', false), set_config('tcp_keepalives_count', '2', false)`;

/**
 * Leads for as long as an advisory lock is held, on a connection of its own: the lock ends with it. It has to
 * go around every pooler, which would give the session to others. Who believes to lead may be wrong for the
 * time of one round trip: what a leader does must be safe beside another one.
 */
export class Leadership {
  readonly #url: string;
  readonly #name: string;
  readonly #key: string;
  #client: pg.Client | null = null;
  #leads = false;

  /** `key` names what is led; `name` is the application_name of the connection. */
  constructor(url: string, name: string, key: string) {
    this.#url = url;
    this.#name = name;
    this.#key = key;
  }

  /** Returns whether this process leads; it begins to where nobody does. Throws when Postgres is away. */
  async hold(): Promise<boolean> {
    try {
      const client = this.#client ?? (await this.#connect());
      if (this.#leads) await client.query('SELECT 1');
      else this.#leads = await tryLock(client, this.#key);
      return this.#leads;
    } catch (error) {
      await this.end();
      throw error;
    }
  }

  /** Leads no more. */
  async end(): Promise<void> {
    const client = this.#client;
    this.#client = null;
    this.#leads = false;
    await client?.end().catch(() => undefined);
  }

  async #connect(): Promise<pg.Client> {
    const options = { connectMs: ANSWER_MS, queryMs: ANSWER_MS };
    this.#client = await openClient(this.#url, this.#name, options);
    await this.#client.query(NOTICE_GONE);
    return this.#client;
  }
}

const tryLead = sql<{ locked: boolean }, { key: string }>(
  'try_to_lead',
  (p) => `SELECT pg_try_advisory_xact_lock(hashtextextended(${p.key}, 0)) AS locked`,
);

/** Lets nobody lead until the transaction ends; false: somebody does. */
export async function keepFromLeading(tx: Tx, key: string): Promise<boolean> {
  return (await runOne(tx, tryLead, { key }))?.locked === true;
}

const ledKeys = sql<{ key: string }, { keys: readonly string[] }>(
  'led_keys',
  (p) => `
    SELECT k.key FROM unnest(${p.keys}::text[]) AS k (key)
      JOIN pg_locks l ON l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
        AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND (l.classid::bigint << 32 | l.objid::bigint) = hashtextextended(k.key, 0)`,
);

/** Returns those of the keys that somebody leads. */
export async function findLed(connection: Connection, keys: readonly string[]): Promise<string[]> {
  return (await run(connection, ledKeys, { keys })).map(({ key }) => key);
}

async function tryLock(client: pg.Client, key: string): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>(
    'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS locked',
    [key],
  );
  return rows[0]?.locked === true;
}
