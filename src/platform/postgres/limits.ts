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
const CLIENT_CHECK_MS = 1_000;

/** The limits for a client that waits `queryMs` for a result. */
export function limitsBelow(queryMs: number): Limits {
  return {
    statementMs: Math.floor((queryMs * 10) / 12),
    lockMs: Math.floor((queryMs * 9) / 12),
    idleInTransactionMs: Math.min(Math.floor((queryMs * 10) / 12), MAX_IDLE_IN_TRANSACTION_MS),
    transactionMs: Math.floor((queryMs * 11) / 12),
  };
}

/** No limits: a migration takes as long as it takes, whatever the role's own settings are. */
export const UNLIMITED: Limits = { statementMs: 0, lockMs: 0, idleInTransactionMs: 0, transactionMs: 0 };

/**
 * Returns the statement that sets the limits of its connection. A setting that this server lacks is left out,
 * and a shorter limit of the role, the database or the URL stays. It is a statement instead of the startup
 * parameter `options` because poolers refuse that one.
 */
export function setLimits(limits: Limits): string {
  const settings = [
    ['statement_timeout', limits.statementMs],
    ['lock_timeout', limits.lockMs],
    ['idle_in_transaction_session_timeout', limits.idleInTransactionMs],
    ['transaction_timeout', limits.transactionMs],
    ['client_connection_check_interval', CLIENT_CHECK_MS],
  ] as const;
  const values = settings.map(([name, ms]) => `('${name}', ${ms})`).join(', ');
  // Postgres on Windows refuses to check its clients.
  return `SELECT set_config(name, ms::text, false)
    FROM (VALUES ${values}) wanted (name, ms) JOIN pg_settings USING (name)
    WHERE (ms = 0 OR setting::int = 0 OR setting::int > ms)
      AND (name <> 'client_connection_check_interval' OR version() ~ 'linux|darwin|bsd')`;
}
