import pg from 'pg';
import type { Done, PooledConnection } from '../connections.ts';

type Wire = pg.Connection;
type Callback = (error: Error | null, result?: unknown) => void;

/** The driver's query, with what it does when the server's messages arrive; its types leave these out. */
interface WireQuery {
  submit(wire: Wire): Error | null;
  handleRowDescription(message: unknown): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, wire: Wire): void;
  handleEmptyQuery(wire: Wire): void;
  handleReadyForQuery(wire: Wire): void;
}

/**
 * Runs statements one after the other in one round trip, and returns a result for each. The connection has a
 * transaction open or begins one with the first of them, and has prepared those with a name, unless there is
 * one statement only. Where one fails, the server skips the others, and this throws the error.
 */
export async function queryTogether(
  connection: PooledConnection,
  statements: readonly pg.QueryConfig[],
): Promise<pg.QueryResult[]> {
  const [first, ...others] = statements;
  if (first === undefined) return [];
  if (others.length === 0) return [await connection.query(first)];
  const results: pg.QueryResult[] = [];
  const pipeline = new Pipeline(statements, results);
  await new Promise<void>((resolve, reject) => {
    connection.query(pipeline, (error) => (error ? reject(error) : resolve()));
  });
  return results;
}

/**
 * What the driver takes in place of a query (as it takes a cursor): it sends all statements, and then the one
 * message that asks the server to reply.
 */
class Pipeline {
  callback: Done | undefined;
  /** For who records what is sent. */
  readonly text: string;
  readonly #queries: readonly WireQuery[];
  #unserializable: Error | null = null;
  #place = 0;

  constructor(statements: readonly pg.QueryConfig[], results: pg.QueryResult[]) {
    this.text = statements.map(({ name, text }) => name ?? text).join('; ');
    const settle = (error: Error | null, result: unknown) => {
      if (error === null) results.push(result as pg.QueryResult);
      else this.#unserializable = error;
    };
    const Query = pg.Query as unknown as new (config: object, settle: Callback) => WireQuery;
    // Extended: a simple query has the server reply on its own.
    this.#queries = statements.map((one) => new Query({ ...one, queryMode: 'extended' }, settle));
  }

  submit(wire: Wire): Error | null {
    // The driver's queries end with a Sync each, and here only the last one may.
    const withoutSync = Object.create(wire, { sync: { value: () => undefined } }) as Wire;
    wire.stream.cork();
    try {
      for (const query of this.#queries) {
        const error = query.submit(withoutSync) ?? this.#unserializable;
        if (error !== null) throw error;
      }
    } catch (error) {
      this.#unserializable = error as Error;
    } finally {
      wire.sync();
      wire.stream.uncork();
    }
    return null;
  }

  handleRowDescription(message: unknown): void {
    this.#current?.handleRowDescription(message);
  }

  handleDataRow(message: unknown): void {
    this.#current?.handleDataRow(message);
  }

  handleCommandComplete(message: unknown, wire: Wire): void {
    this.#current?.handleCommandComplete(message, wire);
    this.#place += 1;
  }

  handleEmptyQuery(wire: Wire): void {
    this.#current?.handleEmptyQuery(wire);
    this.#place += 1;
  }

  handleError(error: Error): void {
    this.callback?.(error);
  }

  handleReadyForQuery(wire: Wire): void {
    if (this.#unserializable === null) for (const query of this.#queries) query.handleReadyForQuery(wire);
    this.callback?.(this.#unserializable);
  }

  get #current(): WireQuery | undefined {
    return this.#queries[this.#place];
  }
}
