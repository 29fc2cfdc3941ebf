import type { Keys } from '../../chain/wallets/mac.ts';
import type { Tx } from '../../../platform/postgres/db.ts';

/** A row that breaks an invariant. */
export interface Offender {
  /** The id of a payment, event or delivery, or the key of another row. */
  readonly id: string;
  /** What is stored, and what it should be. */
  readonly detail: string;
}

/** Whose rows are read, and with which keys. */
export interface Scope {
  /** Null: those of all merchants. */
  readonly merchantId: string | null;
  readonly config: Keys;
}

/** What retention cannot have deleted. */
export interface Kept {
  /** Payments from this id on have all their events; empty: all payments. */
  readonly wholeFrom: string;
  /** Events from this transaction on have their deliveries. */
  readonly deliveredFrom: string;
  /** The same for payments with a test clock, whose events' times say nothing of their age; empty: all. */
  readonly deliveredPayments: string;
}

/** The payments of a page, with all that belongs to them, and what retention may have deleted of it. */
export interface Page extends Scope, Kept {
  /** Ids above it, up to `until`. */
  readonly after: string;
  readonly until: string;
  /** Instead of the range, of one merchant: these payments. */
  readonly ids: readonly string[];
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
  readonly read: (tx: Tx, after: readonly string[], limit: number, scope: Scope) => Promise<OtherPage>;
}
