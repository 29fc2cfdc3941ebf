import type pg from 'pg';
import type { PooledConnection } from '../connections.ts';
import { connectorOf, connectors, type Connect, type Db, type Tx } from '../db.ts';
import { queryTogether } from './pipeline.ts';
import { sharing } from './pipelined.ts';

/**
 * The statements that return no columns, as their first results showed. Nobody reads a result of theirs.
 */
const withoutColumns = new Set<string>();

interface Pending {
  readonly query: pg.QueryConfig;
  readonly resolve: (result: pg.QueryResult) => void;
  readonly reject: (error: unknown) => void;
}

const BEGIN = { text: 'BEGIN' };
const COMMIT = { text: 'COMMIT' };
const WITHOUT_DISK = { text: 'SET LOCAL synchronous_commit TO off' };
const NOTHING = { command: '', rowCount: 0, oid: 0, fields: [], rows: [] };

/**
 * Merges all transactions of one unit of work into one, on one connection, in as few round trips as it can:
 * statements of one turn of the event loop go together, and one without a result goes with the next that has
 * one. `db` stands in for the pool meanwhile, and is the pool again once the transaction has ended.
 *
 * Work of several transactions must be the only one that writes its rows, because all locks stay until the
 * end, and one flow: its transactions follow each other. A single one has no such bounds (transact.ts). The
 * error of a statement without a result appears with a later one. A transaction of the work that fails cannot
 * be rolled back alone: then the whole fails, with that error, and the caller may do it again on the pool.
 */
export class MergedTransactions {
  readonly db: Db;
  readonly #pool: Db;
  readonly #connect: Connect;
  readonly #waitsForDisk: boolean;
  readonly #ended: Promise<void>;
  #settle: { resolve: () => void; reject: (error: unknown) => void } | null = null;
  #connection: PooledConnection | null = null;
  #pending: Pending[] = [];
  #sending: Promise<void> | null = null;
  #failure: { readonly error: unknown } | null = null;
  #isUndone = false;

  constructor(pool: Db, waitsForDisk = true) {
    this.#pool = pool;
    this.#waitsForDisk = waitsForDisk;
    this.#connect = connectorOf(pool);
    this.#ended = new Promise<void>((resolve, reject) => (this.#settle = { resolve, reject }));
    // What waits for the end handles it; the caller sees the error as that of `commit`.
    this.#ended.catch(() => undefined);
    this.db = this.#standIn();
  }

  /** Whether the transaction goes on: nothing of the work is committed. */
  get isOpen(): boolean {
    return this.#settle !== null;
  }

  /** Whether it was rolled back. */
  get isUndone(): boolean {
    return this.#isUndone;
  }

  /** Commits, once; the work goes on with the pool. Throws the error of the first statement that failed. */
  async commit(): Promise<void> {
    if (!this.isOpen) return;
    try {
      // Where a statement has failed, the server would roll back and call that a success.
      const isBegun = this.#connection !== null || this.#pending.length > 0;
      if (isBegun && (await this.#query(COMMIT)).command !== 'COMMIT')
        throw new Error('merged transactions were rolled back: one of their statements failed');
      if (this.#failure !== null) throw this.#failure.error;
    } catch (error) {
      await this.rollback(error);
      throw error;
    }
    this.#settle?.resolve();
    await this.#end();
  }

  /** Rolls everything back, once. Returns false when it has ended already. */
  async rollback(error: unknown): Promise<boolean> {
    if (!this.isOpen) return false;
    for (const { reject } of this.#pending.splice(0)) reject(error);
    await this.#sending;
    this.#isUndone = true;
    this.#settle?.reject(error);
    const connection = this.#connection;
    await connection?.query('ROLLBACK').catch(() => (connection.isDiscarded = true));
    await this.#end();
    return true;
  }

  async #end(): Promise<void> {
    const connection = this.#connection;
    this.#settle = null;
    this.#connection = null;
    connection?.release();
  }

  /** What `run` and the callers of transactions use of a pool. */
  #standIn(): Db {
    const { userParams } = this.#pool;
    const raw = () => ({ options: (query: pg.QueryConfig) => this.#query(query) });
    const transaction = async (work: (tx: Tx) => Promise<unknown>) => {
      if (!this.isOpen) return this.#pool.transaction(work);
      let isCompleted = false;
      const tx: object = { raw, isCompleted: () => isCompleted, executionPromise: this.#ended, userParams };
      sharing.set(tx, this);
      try {
        return await work(tx as Tx);
      } catch (error) {
        this.#failure ??= { error };
        throw error;
      } finally {
        isCompleted = true;
      }
    };
    const db: object = {
      raw: (text: string) => (this.isOpen ? raw() : this.#pool.raw(text)),
      transaction,
      executionPromise: this.#ended,
      userParams,
    };
    sharing.set(db, this);
    connectors.set(db, this.#connect);
    return db as Db;
  }

  async #query(query: pg.QueryConfig): Promise<pg.QueryResult> {
    if (this.#failure !== null) throw this.#failure.error;
    const hasResult = query.name === undefined || !withoutColumns.has(query.name);
    const result = new Promise<pg.QueryResult>((resolve, reject) =>
      this.#pending.push({ query, resolve, reject }),
    );
    if (hasResult) {
      // The other statements of this turn go with it.
      setImmediate(() => {
        if (this.#sending === null && this.#pending.length > 0) this.#sending = this.#send();
      });
      return result;
    }
    result.catch(() => undefined);
    return NOTHING;
  }

  async #send(): Promise<void> {
    while (this.#pending.length > 0 && this.#failure === null) {
      let sent: Pending[] = [];
      try {
        const connection = this.#connection ?? (await this.#begin());
        sent = this.#nextOf(connection);
        const results = await queryTogether(
          connection,
          sent.map(({ query }) => query),
        );
        for (const [place, { query, resolve }] of sent.entries()) {
          const result = results[place] ?? NOTHING;
          if (query.name !== undefined && result.fields.length === 0) withoutColumns.add(query.name);
          resolve(result);
        }
      } catch (error) {
        this.#fail(error, sent);
      }
    }
    this.#sending = null;
  }

  async #begin(): Promise<PooledConnection> {
    const connection = await this.#connect();
    this.#connection = connection;
    if (!this.#waitsForDisk) this.#prepend(WITHOUT_DISK);
    // Behind a pooler each transaction sets its limits.
    if (connection.begin !== undefined) await connection.query(connection.begin);
    else this.#prepend(BEGIN);
    return connection;
  }

  #prepend(query: pg.QueryConfig): void {
    this.#pending.unshift({ query, resolve: () => undefined, reject: () => undefined });
  }

  /** Takes what goes together: a statement is prepared alone, once for each connection. */
  #nextOf(connection: PooledConnection): Pending[] {
    const isReady = ({ query }: Pending) => connection.isPrepared(query.name);
    const place = this.#pending.findIndex((one) => !isReady(one));
    return this.#pending.splice(0, place === -1 ? this.#pending.length : Math.max(1, place));
  }

  #fail(error: unknown, sent: readonly Pending[]): void {
    this.#failure ??= { error };
    for (const { reject } of [...sent, ...this.#pending.splice(0)]) reject(error);
  }
}
