/**
 * Why each statement that writes or locks reads what it must, one line each, by its name. In READ COMMITTED a
 * statement sees what had committed when it began; after it has waited for a row, only that row is read
 * again. A new statement needs an entry in the file of its part of the service; who changes a statement reads
 * its entry, and corrects it.
 */
export interface Reasons {
  readonly right: Readonly<Record<string, string>>;
  /** Of those that wait for a lock in a SELECT, and read more than the table that they lock. */
  readonly readsMore: Readonly<Record<string, string>>;
}

/** A test holds each that says so to it. */
export const OWN_ROW =
  'Its conditions and values are parameters, and columns of the row that it writes: these are read again.';
/** Lock first, then read: the statement itself does not wait. */
export const UNDER_PAYMENT =
  'The caller has locked the payment in an earlier statement; who writes these rows locks it, too.';
export const LOCKED_ROWS = 'It returns columns of the rows that it locks, which are read again.';
export const NEW_ROWS = 'It inserts new rows from parameters, whose ids nobody else has.';
export const FIRST_WINS =
  'It inserts from parameters; the second of two waits for the first, and does nothing.';
/** For sweeps of rows that have ended: what makes a row one of these does not change any more. */
export const ENDED = 'What it deletes has ended: the columns that say so never change again.';
