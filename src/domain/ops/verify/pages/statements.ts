import { run, sql, type Placeholders, type Statement, type Tx } from '../../../../platform/postgres/db.ts';
import type { Described, Invariant, Offender, Page, Range, Scope } from '../invariant.ts';

/** SQL: a condition on a column. */
type Where = (column: string) => string;

/** One text as two statements: over rows of all merchants, and over those of one, whom `Own` names. */
export interface Twice<Row, Params, Own> {
  readonly ofAll: Statement<Row, Params>;
  readonly ofOne: Statement<Row, Params & Own>;
}

type OwnPayments = Pick<Page, 'ids'>;
type OwnRows = Pick<Scope, 'merchantId'>;

const ownName = (name: string) => `${name}_of_merchant`;

/**
 * Declares what is asked of a page's payments, for a range of ids, and for the payments of one merchant,
 * which lie far apart: a range would read those of all others between them.
 */
export function searchRows<Row, Params extends Range>(
  name: string,
  text: (within: Where, p: Placeholders<Params>) => string,
): Twice<Row, Params, OwnPayments> {
  return {
    ofAll: sql<Row, Params>(name, (p) => text((column) => within(column, p), p)),
    ofOne: sql<Row, Params & OwnPayments>(ownName(name), (p) =>
      text((column) => `${column} = ANY (${p.ids})`, p),
    ),
  };
}

/** Declares what is asked of rows by their own key. `own` gets the column of their merchant. */
export function pageRows<Row, Params extends object>(
  name: string,
  text: (own: Where, p: Placeholders<Params>) => string,
): Twice<Row, Params, OwnRows> {
  return {
    ofAll: sql<Row, Params>(name, (p) => text(() => 'true', p)),
    ofOne: sql<Row, Params & OwnRows>(ownName(name), (p) =>
      text((column) => `${column} = ${p.merchantId}`, p),
    ),
  };
}

/** Runs what was declared twice, over the rows of the merchant that the page names, or of all. */
export async function runOf<Row, Params, Own>(
  tx: Tx,
  { ofAll, ofOne }: Twice<Row, Params, Own>,
  page: Params & Own & Scope,
): Promise<Row[]> {
  return page.merchantId === null ? run(tx, ofAll, page) : run(tx, ofOne, page);
}

/** Declares the search of an invariant. */
export const search = <Params extends Range>(
  name: string,
  text: (within: Where, p: Placeholders<Params>) => string,
): Twice<Offender, Params, OwnPayments> => searchRows<Offender, Params>(name, text);

/** An invariant that one text searches. */
export function searched<Params>(
  statements: Twice<Offender, Params, OwnPayments>,
  described: Described & (Page extends Params ? unknown : never),
): Invariant {
  return { ...described, find: (tx, page) => runOf(tx, statements, page as Page & Params) };
}

/**
 * SQL: whether the row exists, found by its key for each row of the page. Postgres may hash the rows of an
 * EXISTS instead, and so read the whole table for each page.
 */
export const exists = (from: string): string => `(SELECT 1 FROM ${from} LIMIT 1) IS NOT NULL`;

/** SQL: whether an id is of the page. */
export const within = (column: string, { after, until }: { after: string; until: string }): string =>
  `${column} > ${after} AND ${column} <= ${until}`;
