/**
 * The server's limits for one connection. Each is shorter than the client's wait for a result, so that the
 * server gives up first: a statement whose caller has left would wait for its lock, run and commit.
 */
export interface Limits {
  readonly statementMs: number;
  readonly lockMs: number;
  /** A process that stops in the middle of a transaction keeps its locks for this long. */
  readonly idleInTransactionMs: number;
  /** Postgres 17 and later; before, the other three are the bound. */
  readonly transactionMs: number;
}

/** A process that runs needs milliseconds between two statements of a transaction. */
const MAX_IDLE_IN_TRANSACTION_MS = 5_000;

/** How often Postgres looks, during a statement, whether its client is still connected. */
const CLIENT_CHECK = { client_connection_check_interval: 1_000 } as const;

/** The limits for a client that waits `queryMs` for a result. */
export function limitsBelow(queryMs: number): Limits {
  return {
    statementMs: Math.floor((queryMs * 10) / 12),
    lockMs: Math.floor((queryMs * 9) / 12),
    idleInTransactionMs: Math.min(Math.floor((queryMs * 10) / 12), MAX_IDLE_IN_TRANSACTION_MS),
    transactionMs: Math.floor((queryMs * 11) / 12),
  };
}

/**
 * How the server plans this service's statements: each finds its rows by keys, one after the other. A plan
 * that Postgres keeps was chosen when its table may have been empty, as each week's partition of deliveries
 * is; without these it reads the whole table for every row until statistics are gathered. With 10,000 new
 * deliveries the outcome of one took 10 ms instead of 0.5 ms (`npm run bench -- 2000 neighbours`). A table
 * without an index for what is asked is still read. Compiling a plan pays for none of these statements, and
 * what is switched off here counts as so expensive that it would be compiled. An incremental sort of an index
 * that begins like the order reads all of one merchant where Postgres expects that each has a few rows.
 *
 * Each statement is planned once for each connection: keys decide on its plan, not the values of parameters.
 * By itself Postgres plans one with `= ANY ($1)` or a recordset at each execution, because it takes a set of
 * unknown length for ten or a hundred rows: 0.3 to 0.9 ms, which is as long as the statement itself takes.
 */
const PLANNING = {
  enable_incremental_sort: 'off',
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  jit: 'off',
  plan_cache_mode: 'force_generic_plan',
} as const;

type Settings = Readonly<Record<string, string | number>>;

/**
 * Returns the statement that sets the limits of its connection. A setting that this server lacks is left out,
 * and a shorter limit of the role, the database or the URL stays. It is a statement instead of the startup
 * parameter `options` because poolers refuse that one.
 */
export function setLimits(limits: Limits): string {
  return set({ ...serverLimits(limits), ...CLIENT_CHECK });
}

/**
 * Like `setLimits`, for a connection that runs this service's own statements: it also sets how they are
 * planned, and says whether it did anything (`direct`). With `backendPid` it sets nothing on another backend:
 * behind a pooler the settings would stay with a connection that others use.
 */
export function prepareSession(limits: Limits, backendPid?: number): string {
  const condition = backendPid === undefined ? 'true' : `pg_backend_pid() = ${backendPid}`;
  return set({ ...serverLimits(limits), ...CLIENT_CHECK, ...PLANNING }, condition);
}

/**
 * Returns the statement whose rows are the settings to make at the beginning of each transaction, behind a
 * pooler that gives each another connection.
 */
export function selectSettings(limits: Limits): string {
  return `SELECT name, value FROM ${known({ ...serverLimits(limits), ...PLANNING })}`;
}

function serverLimits(limits: Limits): Settings {
  return {
    statement_timeout: limits.statementMs,
    lock_timeout: limits.lockMs,
    idle_in_transaction_session_timeout: limits.idleInTransactionMs,
    transaction_timeout: limits.transactionMs,
  };
}

function set(settings: Settings, condition = 'true'): string {
  // Postgres on Windows refuses to check its clients.
  return `SELECT ${condition} AS direct, array_agg(set_config(name, value, false)) FILTER (WHERE name IS NOT NULL)
    FROM (SELECT) once LEFT JOIN (
      SELECT name, value FROM ${known(settings)}
        AND (name <> 'client_connection_check_interval' OR version() ~ 'linux|darwin|bsd')
    ) wanted ON ${condition}`;
}

/** SQL: the settings to make, of those that this server knows; a shorter limit of role or database stays. */
function known(settings: Settings): string {
  const values = Object.entries(settings).map(([name, value]) => `('${name}', '${value}')`);
  return `(VALUES ${values.join(', ')}) wanted (name, value) JOIN pg_settings USING (name)
    WHERE CASE vartype WHEN 'integer' THEN value = '0' OR setting = '0' OR setting::int > value::int
      ELSE true END`;
}
