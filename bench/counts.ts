import type { Client } from 'pg';
import { TALLIED, TALLY } from '../src/domain/overview/counts/tally.ts';

/** Events since the job counted last, at most a minute ago: what the home page counts itself. */
const UNCOUNTED = 200;

/**
 * Counts the payments of a merchant, as the job does event by event, which takes it minutes for 1,000,000.
 * The last events are counted here, and once more by the page.
 */
export async function countPayments(db: Client, merchantId: string): Promise<void> {
  await db.query(
    `WITH page AS MATERIALIZED (
       SELECT merchant_id, id AS payment_id, type
       FROM payments CROSS JOIN unnest(ARRAY['checkout.created', 'checkout.settled']) type
       WHERE merchant_id = $1 AND (type = 'checkout.created' OR settled_at IS NOT NULL)
     ), ${TALLY}
     INSERT INTO payment_counts (${TALLIED}) SELECT ${TALLIED} FROM tally`,
    [merchantId],
  );
  await db.query(
    `INSERT INTO payment_count_positions (merchant_id, txid, place)
     SELECT merchant_id, txid, place FROM events WHERE merchant_id = $1
     ORDER BY txid DESC, place DESC LIMIT 1 OFFSET ${UNCOUNTED}`,
    [merchantId],
  );
}
