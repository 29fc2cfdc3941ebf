/** SQL: by the key of a row that names its merchant, which an index finds for one row and a join for all. */
export const through =
  (parent: string, key: string, column = key) =>
  (merchant: string) =>
    `EXISTS (SELECT FROM ${parent} o WHERE o.${key} = t.${column} AND o.merchant_id = ${merchant})`;
export const ofPayment = through('payments', 'id', 'payment_id');
export const ofRefund = (merchant: string) =>
  `EXISTS (SELECT FROM refunds r JOIN payments o ON o.id = r.payment_id
     WHERE r.id = t.refund_id AND o.merchant_id = ${merchant})`;
export const ofTill = through('tills', 'id', 'till_id');
export const ofPerson = through('memberships', 'person_id');
/** A chain of one test clock is the payment's whose clock it is. */
export const ofTestClock = (merchant: string) =>
  `EXISTS (SELECT FROM payments o WHERE o.id = split_part(t.chain, '/', 2) AND o.merchant_id = ${merchant})`;

/** SQL: whose a scheduled job is, by what its key begins with; null: the cell's. */
export const OWNER_OF_JOB = `CASE left(t.key, 4)
    WHEN 'mer_' THEN split_part(t.key, ' ', 1)
    WHEN 'pay_' THEN (SELECT merchant_id FROM payments WHERE id = substr(t.key, 1, 30))
    WHEN 'evt_' THEN (SELECT merchant_id FROM events WHERE id = t.key)
    WHEN 'ref_' THEN (SELECT p.merchant_id FROM refunds r JOIN payments p ON p.id = r.payment_id WHERE r.id = t.key)
    WHEN 'wal_' THEN (SELECT merchant_id FROM wallets WHERE id = split_part(t.key, ' ', 1))
    ELSE (SELECT merchant_id FROM payments WHERE id = t.test_clock) END`;

/** How the rows of a table hang on payments. */
export interface Hangs {
  /** The column of the row that leads there. */
  readonly by: string;
  /** The table between, if there is one: its key that `by` names. It has the payment in `payment_id`. */
  readonly over?: { readonly table: string; readonly key: string };
}

export const ON_PAYMENT: Hangs = { by: 'payment_id' };
export const ON_REFUND: Hangs = { by: 'refund_id', over: { table: 'refunds', key: 'id' } };

/** The temporary table of the payments that are chosen to be copied together, in both databases. */
export const MOVING_PAYMENTS = 'moving_payments';

/** SQL: whether a row `t` hangs on one of the chosen payments. */
export function isOfMoving({ by, over }: Hangs): string {
  const moving = `SELECT id FROM ${MOVING_PAYMENTS}`;
  return over === undefined
    ? `t.${by} IN (${moving})`
    : `t.${by} IN (SELECT ${over.key} FROM ${over.table} WHERE payment_id IN (${moving}))`;
}

/** SQL: the payments on which a row `t` hangs, for `IN`. */
export function paymentsOf({ by, over }: Hangs): string {
  return over === undefined ? `t.${by}` : `SELECT payment_id FROM ${over.table} WHERE ${over.key} = t.${by}`;
}
