import type pg from 'pg';
import { openClient } from './client.ts';

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

async function tryLock(client: pg.Client, key: string): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>(
    'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS locked',
    [key],
  );
  return rows[0]?.locked === true;
}
