/**
 * What an error of Postgres, Redis or the network means, in words that an operator can act on. SQLSTATEs and
 * the codes of Node are stable; a server's own message comes in the server's language.
 */
const BY_CODE: Readonly<Record<string, string>> = {
  '53000': 'Postgres: out of resources',
  '53100': 'Postgres: disk full',
  '53200': 'Postgres: out of memory',
  '53300': 'Postgres: too many connections',
  '53400': 'Postgres: a configured limit is exceeded',
  '57P01': 'Postgres: shut down by an administrator',
  '57P02': 'Postgres: crashed; it recovers',
  '57P03': 'Postgres: starting up or shutting down',
  '57P04': 'Postgres: the database was dropped',
  '57P05': 'Postgres: the connection was idle for too long',
  '57014': 'Postgres: statement timeout or cancelled',
  '55P03': 'Postgres: a lock was not free in time',
  '40P01': 'Postgres: deadlock',
  '40001': 'Postgres: serialization conflict',
  '25006': 'Postgres: read-only (a standby, or default_transaction_read_only)',
  '25P03': 'Postgres: the transaction was idle for too long',
  '25P04': 'Postgres: the transaction took too long',
  '28P01': 'Postgres: wrong password',
  '28000': 'Postgres: the role may not connect',
  '3D000': 'Postgres: no such database',
  '42501': 'Postgres: the role lacks a permission',
  '42P01': 'Postgres: a table is missing',
  '42703': 'Postgres: a column is missing',
  '58030': 'Postgres: input/output error on its disk',
  XX001: 'Postgres: a table is corrupted',
  XX002: 'Postgres: an index is corrupted',
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection closed by the other side',
  ETIMEDOUT: 'connection timed out',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  ENOTFOUND: 'host name not found',
  EAI_AGAIN: 'name server does not respond',
  EMFILE: 'too many open files in this process',
  ENOSPC: 'disk full on this machine',
};

/** A reply of Redis begins with its kind; messages of the drivers and pools are matched as they are. */
const BY_MESSAGE: readonly (readonly [RegExp, string])[] = [
  [
    /^The pooler of DATABASE_URL/,
    'Postgres: the pooler loses prepared statements (max_prepared_statements, or pool_mode = session)',
  ],
  [/^OOM |maxmemory/, 'Redis: out of memory (maxmemory)'],
  [/^READONLY /, 'Redis: read-only, because REDIS_URL names a replica'],
  [/^LOADING /, 'Redis: loading its data'],
  [
    /^(?:NOAUTH|WRONGPASS) |^ERR invalid password|invalid username-password/,
    'Redis: wrong or missing password',
  ],
  [/^NOPERM /, 'Redis: the user lacks a permission'],
  [/^MISCONF /, 'Redis: cannot write to its disk'],
  [/^CLUSTERDOWN /, 'Redis: the cluster is down'],
  [/^(?:MOVED|ASK) |cluster slots cache/i, 'Redis: a cluster node without its cluster'],
  [/^MASTERDOWN /, 'Redis: the replica has lost its master'],
  [/^NOREPLICAS /, 'Redis: takes no writes, because it has too few replicas'],
  [/^BUSY /, 'Redis: busy with a script'],
  [/max number of clients/, 'Redis: too many connections'],
  [/Command timed out|does not answer/, 'Redis: no reply in time'],
  [/Stream isn't writeable|Connection is closed|max retries per request/, 'Redis: not connected'],
  [
    /Timeout acquiring a connection|pool is probably full|timeout exceeded when trying to connect/,
    'Postgres: no connection free in time (the pool is full, or Postgres does not respond)',
  ],
  [/Query read timeout/, 'Postgres: no result in time'],
  [/Connection terminated|not queryable|connection error/, 'Postgres: the connection was lost'],
  [/no more connections allowed|too many clients/, 'Postgres: too many connections'],
  [/password authentication failed|SASL/, 'Postgres: wrong password'],
];

/**
 * What an error means, for the `reason` of a log line and for messages at the start: one of a fixed set of
 * texts, so that lines with it can be counted. Null: an error that is none of the environment's.
 */
export function reasonOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const known = BY_CODE[code];
  if (known !== undefined) return known;
  const [, matched] = BY_MESSAGE.find(([shape]) => shape.test(error.message)) ?? [];
  if (matched !== undefined) return matched;
  if (/^08.{3}$/.test(code)) return 'Postgres: the connection was lost';
  // A host with several addresses fails once for each; the first says enough.
  if (error instanceof AggregateError) return reasonOf(error.errors[0]);
  return error.cause instanceof Error ? reasonOf(error.cause) : null;
}

/** The fields by which a log line says what failed; `reason` only where the environment is at fault. */
export function faultOf(error: unknown): { reason?: string; error: string } {
  const reason = reasonOf(error);
  return { ...(reason === null ? {} : { reason }), error: textOf(error) };
}

function textOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '')
    return [...new Set(error.errors.map(textOf))].join('; ');
  return error instanceof Error ? error.message : String(error);
}
