/** SQLSTATE read_only_sql_transaction. */
export const READ_ONLY = '25006';
/**
 * SQLSTATEs of a server that is absent, refuses work or has ended the connection: connection failure,
 * resources, operator, starting up, a transaction that was idle or took too long, a primary that became
 * read-only.
 */
const BROKEN_STATES = /^(08|53|57P0|25006$|25P0[34]$)/;
/**
 * SQLSTATEs of a statement that the server gave up; its connection is sound: canceled, lock, deadlock,
 * serialization.
 */
const GIVEN_UP_STATES = new Set(['57014', '55P03', '40P01', '40001']);
const UNAVAILABLE_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EAI_AGAIN',
]);
const UNAVAILABLE_MESSAGES =
  /timeout expired|timeout exceeded when trying to connect|Connection terminated|Query read timeout|Timeout acquiring a connection|pool is probably full|Client has encountered a connection error|not queryable|aborted/;

/**
 * True when Postgres is unavailable, overloaded, read-only or was just migrated, so that the caller should
 * try again later. What the caller asked for has not happened.
 */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof Overloaded) return true;
  return isBroken(error) || (error instanceof Error && GIVEN_UP_STATES.has(codeOf(error)));
}

/**
 * SQLSTATE of rows that a trigger refuses while their owner is moved elsewhere
 * (migrations/0139_merchant_moves.sql).
 */
const MOVING_STATE = 'MV001';

/**
 * True when the database refuses these rows for seconds, and no others: the caller should try again later,
 * and whoever writes a set writes the others without them.
 */
export function isMoving(error: unknown): boolean {
  return error instanceof Error && codeOf(error) === MOVING_STATE;
}

/** True when a connection that had this error must not serve another caller. */
export function isBroken(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (isOutdated(error)) return true;
  const code = codeOf(error);
  // A server that gave a statement up says so in its own language; only the driver's messages are matched.
  if (GIVEN_UP_STATES.has(code)) return false;
  return UNAVAILABLE_CODES.has(code) || BROKEN_STATES.test(code) || UNAVAILABLE_MESSAGES.test(error.message);
}

/**
 * A migration has changed the columns of a prepared statement, which must be prepared again on another
 * connection. The error's message is in the server's language; the routine in its source is not.
 */
export function isOutdated(error: Error): boolean {
  return codeOf(error) === '0A000' && 'routine' in error && error.routine === 'RevalidateCachedQuery';
}

/** A write came to a standby, or to a primary that was demoted. */
export function isReadOnly(error: Error): boolean {
  return codeOf(error) === READ_ONLY;
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** Too many callers wait for Postgres already: nothing was done for this one. */
export class Overloaded extends Error {}
