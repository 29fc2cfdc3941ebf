import type { Keys } from '../../chain/wallets/mac.ts';
import { run, runOne, sql, type Db, type Statement, type Tx } from '../../../platform/postgres/db.ts';

/** A row that breaks an invariant. */
export interface Offender {
  /** The id of a payment, event or delivery, or the key of another row. */
  readonly id: string;
  /** What is stored, and what it should be. */
  readonly detail: string;
}

/** The payments of a page, with all that belongs to them, and what retention may have deleted of it. */
export interface Page {
  /** Ids above it, up to `until`. */
  readonly after: string;
  readonly until: string;
  /** Payments from this id on have all their events; empty: all payments. */
  readonly wholeFrom: string;
  /** Events from this transaction on have their deliveries. */
  readonly deliveredFrom: string;
  /** The same for payments with a test clock, whose events' times say nothing of their age; empty: all. */
  readonly deliveredPayments: string;
}

/** A page's parameters that every statement reads. */
export type Range = Pick<Page, 'after' | 'until'>;

/** What must hold of every payment, at any moment between two transactions. */
export interface Invariant {
  readonly name: string;
  /** What holds, in one sentence. */
  readonly meaning: string;
  /** What an operator does about an offender. */
  readonly remedy: string;
  /** Returns the offenders of a page; all statements of a page see one snapshot. */
  readonly find: (tx: Tx, page: Page) => Promise<Offender[]>;
}

/** The texts of an invariant, without its search. */
export type Described = Omit<Invariant, 'find'>;

/** A page of rows that belong to no payment's range. */
export interface OtherPage {
  /** How many rows were read. */
  readonly rows: number;
  /** The last row's key; null: it was the last page. */
  readonly next: readonly string[] | null;
  readonly offenders: readonly Offender[];
  /** Jobs that wait for an operator. */
  readonly parked: number;
}

/** An invariant of a table that is read by its own key. */
export interface OtherInvariant extends Described {
  /** What the rows are, in a sentence: "12 scheduled jobs". */
  readonly of: string;
  /** The key below all others. */
  readonly first: readonly string[];
  readonly read: (tx: Tx, after: readonly string[], limit: number, config: Keys) => Promise<OtherPage>;
}

/** An invariant that one statement searches. */
export function searched<Params>(
  statement: Statement<Offender, Params>,
  described: Described & (Page extends Params ? unknown : never),
): Invariant {
  return { ...described, find: (tx, page) => run(tx, statement, page as Page & Params) };
}

/**
 * SQL: whether the row exists, found by its key for each row of the page. Postgres may hash the rows of an
 * EXISTS instead, and so read the whole table for each page.
 */
export const exists = (from: string): string => `(SELECT 1 FROM ${from} LIMIT 1) IS NOT NULL`;

/** SQL: whether an id is of the page. */
export const within = (column: string, { after, until }: { after: string; until: string }): string =>
  `${column} > ${after} AND ${column} <= ${until}`;

const pageEnd = sql<{ last: string | null; rows: number }, { after: string; limit: number }>(
  'verify_page_of_payments',
  (p) => `
    SELECT max(id) AS last, count(*)::int AS rows FROM (
      SELECT id FROM payments WHERE id > ${p.after} ORDER BY id LIMIT ${p.limit}) page`,
);

/** Above every id. */
export const END = '~';

/**
 * Returns how many payments the page behind an id has, and its last id. The last page has no upper end: rows
 * of payments that do not exist are found as well.
 */
export async function readPageEnd(
  tx: Tx,
  after: string,
  limit: number,
): Promise<{ rows: number; until: string; last: string }> {
  const { rows = 0, last = null } = (await runOne(tx, pageEnd, { after, limit })) ?? {};
  return { rows, until: rows < limit ? END : (last ?? END), last: last ?? after };
}

/** Runs what reads a page on a snapshot: what a transaction changes together must be seen together. */
export function inSnapshot<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return db.transaction(work, { isolationLevel: 'repeatable read', readOnly: true });
}
