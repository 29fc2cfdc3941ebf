import type pg from 'pg';
import { isBroken, isOutdated } from './unavailable.ts';

export type Done = (error: Error | null | undefined, result?: pg.QueryResult) => void;
/** What the driver takes in place of a query (pipeline.ts). */
export type Batch = pg.Submittable & { readonly text: string; callback?: Done | undefined };
type Query = string | pg.QueryConfig | Batch;

interface Options {
  readonly client: pg.ClientBase;
  /** How long a caller waits for a result. */
  readonly queryMs: number;
  /** Called with each error of the server or the connection. */
  readonly onError: (error: Error) => void;
}

/** What knex begins a transaction with. */
const BEGIN = 'BEGIN;';

/**
 * Statements of which a pooler keeps an outdated plan on its own connections, where a new connection to the
 * pooler finds it again: they run without a name until this process ends.
 */
const unnamedStatements = new Set<string>();

/** A connection as knex gets it from the pool (pool.ts): the driver's, with a limit to each wait. */
export class PooledConnection {
  readonly client: pg.ClientBase;
  /**
   * What begins each transaction behind a pooler that gives it any connection; absent: the limits are set on
   * the connection itself.
   */
  begin?: string;
  /** It must not serve another caller. */
  isDiscarded = false;
  /** Takes it back; the pool sets it with each caller. */
  release: (isBroken?: boolean) => void = () => undefined;
  /** Called when the server has replied to all that was given up. */
  onQuiet: (() => void) | null = null;
  readonly #queryMs: number;
  readonly #onError: Options['onError'];
  readonly #prepared = new Set<string>();
  #pending = 0;
  #isGivenUp = false;

  constructor({ client, queryMs, onError }: Options) {
    this.client = client;
    this.#queryMs = queryMs;
    this.#onError = onError;
  }

  /** Whether it can serve another caller: a transaction that never ended would take the caller's writes. */
  get isUsable(): boolean {
    return !this.isDiscarded && this.client.getTransactionStatus() === 'I';
  }

  /** Whether no statement is pending that was given up. */
  get isQuiet(): boolean {
    return !this.#isGivenUp || this.#pending === 0;
  }

  /** Whether it has prepared the statement with this name. */
  isPrepared(name: string | undefined): boolean {
    return name === undefined || this.#prepared.has(name);
  }

  /** The driver's `query`, for knex with a callback. */
  query(query: Query): Promise<pg.QueryResult>;
  query(query: Query, done: Done): void;
  query(query: Query, done?: Done): Promise<pg.QueryResult> | void {
    if (done === undefined) return promised((settle) => this.#route(query, settle));
    this.#route(query, done);
  }

  #route(query: Query, done: Done): void {
    // Nothing goes behind a statement that was given up: a ROLLBACK would wait as long again.
    if (this.#isGivenUp) return done(new Error('The connection is not queryable'));
    if (this.begin === undefined) return this.#send(query, done);
    const named = withoutName(query);
    // Puts the limits into the statement that begins a transaction: no round trip in addition.
    if ((typeof named === 'string' ? named : named.text) === BEGIN) return this.#send(this.begin, done);
    if (this.client.getTransactionStatus() !== 'I') return this.#send(named, done);
    this.#runAlone(this.begin, named).then((result) => done(null, result), done);
  }

  /**
   * Runs one statement in a transaction of its own, which sets the limits: a pooler in transaction mode
   * shares its connections among processes with other limits.
   */
  async #runAlone(begin: string, query: Query): Promise<pg.QueryResult> {
    await this.#sent(begin);
    try {
      const result = await this.#sent(query);
      await this.#sent('COMMIT');
      return result;
    } catch (error) {
      // One that is broken is discarded, and the pooler ends its transaction.
      if (!this.#isGivenUp) await this.#sent('ROLLBACK').catch(() => (this.isDiscarded = true));
      throw error;
    }
  }

  #sent(query: Query): Promise<pg.QueryResult> {
    return promised((settle) => this.#send(query, settle));
  }

  /**
   * Sends a statement. The driver's own limit fires even when the result has arrived and the process was too
   * busy to read it: that caller would get a 503 for what is stored. This one reads first.
   */
  #send(query: Query, done: Done): void {
    let isSettled = false;
    const timer = setTimeout(() => {
      // Two turns of the event loop, each of which reads what the sockets hold.
      setImmediate(() => setImmediate(giveUp));
    }, this.#queryMs);
    const giveUp = () => {
      if (isSettled) return;
      isSettled = true;
      this.isDiscarded = true;
      this.#isGivenUp = true;
      done(new Error('Query read timeout'));
    };
    const settle: Done = (error, result) => {
      clearTimeout(timer);
      this.#pending -= 1;
      if (this.#pending === 0) this.onQuiet?.();
      if (isSettled) return;
      isSettled = true;
      this.#note(query, error ?? null);
      done(error, result);
    };
    this.#pending += 1;
    if (typeof query === 'string' || !('submit' in query)) this.client.query(query, settle);
    else this.client.query(Object.assign(query, { callback: settle }));
  }

  #note(query: Query, error: Error | null): void {
    const name = typeof query !== 'string' && 'name' in query ? query.name : undefined;
    if (error === null) {
      if (name !== undefined) this.#prepared.add(name);
      return;
    }
    // A connection that broke must not serve the next caller.
    if (isBroken(error)) this.isDiscarded = true;
    if (name !== undefined && this.begin !== undefined && isOutdated(error)) unnamedStatements.add(name);
    this.#onError(error);
  }
}

function promised(work: (done: Done) => void): Promise<pg.QueryResult> {
  return new Promise((resolve, reject) => {
    work((error, result) => (error ? reject(error) : resolve(result as pg.QueryResult)));
  });
}

function withoutName(query: Query): Query {
  if (typeof query === 'string' || 'submit' in query || query.name === undefined) return query;
  return unnamedStatements.has(query.name) ? { ...query, name: undefined } : query;
}
