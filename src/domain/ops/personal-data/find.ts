import { run, sql, type Connection } from '../../../platform/postgres/db.ts';
import { foldMailAddress } from '../../../platform/values/emails.ts';

/** Whose personal data is meant: a merchant's payments, narrowed by what is not null. */
export interface Whose {
  readonly merchantId: string;
  readonly paymentId: string | null;
  /** The customer's mail address, however it is written. */
  readonly email: string | null;
  /** Payments that were created before. */
  readonly before: Date | null;
}

/**
 * SQL: whether anything of a payment `p` says who the customer is. Deposit addresses, amounts, hashes of what
 * came and order_id stay: they are the merchant's books, and say nothing of the customer by themselves.
 */
const HAS_PERSONAL_DATA = `(num_nonnulls(p.customer_email, p.order_description, p.success_url, p.cancel_url,
        p.language) > 0 OR p.metadata::text <> '{}'
      OR EXISTS (SELECT FROM refund_addresses a WHERE a.payment_id = p.id)
      OR EXISTS (SELECT FROM announced_transactions a WHERE a.payment_id = p.id)
      OR EXISTS (SELECT FROM refunds r WHERE r.payment_id = p.id AND num_nonnulls(r.address, r.reason) > 0)
      OR EXISTS (SELECT FROM transfers t WHERE t.payment_id = p.id AND t.sender IS NOT NULL))`;

interface PageParams extends Omit<Whose, 'email'> {
  readonly before: Date;
  readonly afterTime: Date;
  readonly afterId: string;
  readonly limit: number;
}

// Index: payments_newest, backwards. A page is of payments, not of those that are meant, so that no statement
// reads them all.
const page = sql<
  { id: string; created_at: Date; customer_email: string | null; is_personal: boolean },
  PageParams
>(
  'page_of_personal_data',
  (p) => `
    SELECT id, created_at, customer_email, ${HAS_PERSONAL_DATA} AS is_personal
    FROM payments p
    WHERE merchant_id = ${p.merchantId} AND created_at < ${p.before}
      AND (created_at, id) > (${p.afterTime}, ${p.afterId})
      AND (${p.paymentId}::text IS NULL OR id = ${p.paymentId})
    ORDER BY created_at, id LIMIT ${p.limit}`,
);

const PAGE = 1_000;
const BEGIN_OF_TIME = new Date(0);
const END_OF_TIME = new Date('9999-01-01T00:00:00Z');

/** Returns the payments with personal data that are meant, oldest first, a page at a time. */
export async function* findPersonalData(connection: Connection, whose: Whose): AsyncGenerator<string[]> {
  const bounds = { ...whose, before: whose.before ?? END_OF_TIME, limit: PAGE };
  const wanted = whose.email === null ? null : foldMailAddress(whose.email);
  const isTheirs = (email: string | null) =>
    wanted === null || (email !== null && foldMailAddress(email) === wanted);
  let after = { afterTime: BEGIN_OF_TIME, afterId: '' };
  for (;;) {
    const found = await run(connection, page, { ...bounds, ...after });
    const meant = found.filter((one) => one.is_personal && isTheirs(one.customer_email));
    yield meant.map(({ id }) => id);
    const last = found.at(-1);
    if (last === undefined || found.length < PAGE) return;
    after = { afterTime: last.created_at, afterId: last.id };
  }
}
