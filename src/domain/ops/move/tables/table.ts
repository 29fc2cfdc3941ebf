import { isOfMoving, type Hangs } from './owners.ts';

/** A table with rows of merchants. */
export interface MerchantTable {
  readonly name: string;
  /**
   * The column with the merchant's id, or SQL: whether a row `t` is the merchant's, who is a parameter or a
   * literal.
   */
  readonly isOf: 'merchant_id' | 'id' | ((merchant: string) => string);
  /** Its rows belong to payments, with which they are copied before writes stop, and again if they change. */
  readonly hangs?: Hangs;
  /** SQL: the order in which rows are inserted, where the target numbers them. */
  readonly order?: string;
  /**
   * Columns that the target fills itself, by an identity, a default or a trigger: neither copied nor
   * compared.
   */
  readonly assigned?: readonly string[];
  /** SQL: what is inserted instead of a column's value; these are not compared. */
  readonly instead?: Readonly<Record<string, string>>;
  /** Its rows are written by triggers of other tables: they are compared, and not copied. */
  readonly isDerived?: true;
  /**
   * What is refused while the merchant is moved. `late`: as `all`, once no job is under way, because jobs
   * write here what has happened outside. `insert`: sets of several merchants' rows are updated in one
   * statement, which must not fail for the others. `none`: likewise, and what is written after the copy is
   * written again in the target, or is lost on purpose.
   */
  readonly refuses: 'all' | 'late' | 'insert' | 'none';
  /**
   * Columns that are written beside requests, reads too: what updates no others is not refused. Values that
   * come behind the copy are lost, so these are not compared.
   */
  readonly bookkeeping?: readonly string[];
  /** Rows that come may be in the target already, by their `id`: there they take the values that come. */
  readonly isReplaced?: true;
  /** Those of payments refer to its rows, which are copied with them each time, and replaced. */
  readonly isParent?: true;
  /** SQL: whether a row `r` that comes is in the target already, where it stays as it is. */
  readonly isKnown?: string;
  /** Rows of people, who may belong to other merchants as well: they are neither compared nor deleted. */
  readonly isShared?: true;
  /**
   * Its rows stay in the source for good: whoever still comes there is refused, and the audit log is
   * append-only.
   */
  readonly stays?: true;
}

/** One whose rows hang on payments. */
export type PaymentTable = MerchantTable & { readonly hangs: Hangs };

/** SQL: whether a row `t` hangs on one of the chosen payments; or, where none does, is the merchant's. */
export function isChosen(table: MerchantTable, merchant: string): string {
  return table.hangs === undefined ? isOf(table, merchant) : isOfMoving(table.hangs);
}

/** SQL: whether a row `t` of a table is the merchant's. */
export function isOf({ isOf: condition }: MerchantTable, merchant: string): string {
  return typeof condition === 'string' ? `t.${condition} = ${merchant}` : condition(merchant);
}
