/** What the merchant's database remembers of a payment: the event that was handled last. */
export interface LastHandled {
  /** 0: none of its events has been handled. */
  readonly sequence: number;
}

/** How events are remembered, in a database with transactions and a unique key. */
export interface EventStore<Tx> {
  /** Runs `work` in a transaction: commits what it did when it resolves, nothing of it when it rejects. */
  transaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>;
  /**
   * Locks the payment until the transaction ends, also where it was never seen before, so that no other
   * transaction handles an event of it meanwhile; returns what was handled last.
   */
  lock(tx: Tx, paymentId: string): Promise<LastHandled>;
  /** Remembers, in the transaction, that an event of a locked payment has been handled. */
  remember(
    tx: Tx,
    event: {
      /** The payment that `lock` locked. */
      readonly paymentId: string;
      /** The event's id. */
      readonly id: string;
      /** The event's sequence. */
      readonly sequence: number;
    },
  ): Promise<void>;
}

/** Creates, in Postgres, the table in which `pgStore` and `knexStore` remember: one row for each payment. */
export const HANDLED_EVENTS_TABLE: string = `CREATE TABLE IF NOT EXISTS handled_payment_events (
  payment_id text PRIMARY KEY,
  sequence integer NOT NULL,
  event_id text NOT NULL
)`;

// A transaction that inserts the same payment meanwhile is waited for; afterwards the row is there, locked.
const INSERT = `INSERT INTO handled_payment_events (payment_id, sequence, event_id) VALUES ($1, 0, '')
  ON CONFLICT (payment_id) DO NOTHING`;
const LOCK = 'SELECT sequence FROM handled_payment_events WHERE payment_id = $1 FOR UPDATE';
const REMEMBER = 'UPDATE handled_payment_events SET sequence = $2, event_id = $3 WHERE payment_id = $1';

/** What a query returns. */
interface Rows {
  /** The rows that were found. */
  readonly rows: readonly unknown[];
}

/** A client of `pg`: what `pool.connect()` resolves to. */
export interface PgClient {
  /** Sends a statement. */
  query(text: string, values?: unknown[]): Promise<Rows>;
  /** Gives the client back to its pool; with an error, not to be used again. */
  release(error?: Error | boolean): void;
}

/** A pool of `pg`. */
export interface PgPool<Client extends PgClient = PgClient> {
  /** Takes a client out of the pool. */
  connect(): Promise<Client>;
}

/** Remembers in HANDLED_EVENTS_TABLE, by a pool of `pg`. `work` gets the client of the transaction. */
export function pgStore<Client extends PgClient>(pool: PgPool<Client>): EventStore<Client> {
  return {
    async transaction(work) {
      const client = await pool.connect();
      try {
        await client.query('BEGIN');
        const result = await work(client);
        await client.query('COMMIT');
        client.release();
        return result;
      } catch (error) {
        // A connection whose transaction could not be rolled back must not serve another caller.
        await client.query('ROLLBACK').then(
          () => client.release(),
          () => client.release(true),
        );
        throw error;
      }
    },
    async lock(client, paymentId) {
      await client.query(INSERT, [paymentId]);
      return lastOf(await client.query(LOCK, [paymentId]));
    },
    async remember(client, { paymentId, sequence, id }) {
      await client.query(REMEMBER, [paymentId, sequence, id]);
    },
  };
}

/** A transaction of `knex`. */
export interface KnexTransaction {
  /** Sends a statement. */
  raw(text: string, values: string[] | (string | number)[]): PromiseLike<unknown>;
}

/** A `knex` of Postgres. */
export interface KnexDb<Tx extends KnexTransaction = KnexTransaction> {
  /** Runs `work` in a transaction. */
  transaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>;
}

/** Remembers in HANDLED_EVENTS_TABLE, by knex. `work` gets the transaction. */
export function knexStore<Tx extends KnexTransaction>(knex: KnexDb<Tx>): EventStore<Tx> {
  const positional = (text: string) => text.replaceAll(/\$\d/g, '?');
  return {
    transaction: (work) => knex.transaction(work),
    async lock(tx, paymentId) {
      await tx.raw(positional(INSERT), [paymentId]);
      return lastOf((await tx.raw(positional(LOCK), [paymentId])) as Rows);
    },
    async remember(tx, { paymentId, sequence, id }) {
      // In the order in which the text names them.
      await tx.raw(positional(REMEMBER), [sequence, id, paymentId]);
    },
  };
}

function lastOf({ rows }: Rows): LastHandled {
  const [row] = rows as readonly LastHandled[];
  if (row === undefined) throw new Error('handled_payment_events has lost the row that was just locked');
  return row;
}
