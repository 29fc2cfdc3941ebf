import { run, sql, type Connection } from '../../../platform/postgres/db.ts';

/** A payment that a job is about. */
export interface FoundPayment {
  readonly id: string;
  readonly merchant_id: string;
  readonly status: string;
  readonly created_at: Date;
}

/** The most payments that a search returns. */
export const MAX_FOUND = 50;

// A delivery's job names an endpoint. Its pending deliveries are served by deliveries_due; of those that have
// ended, the merchant's newest thousand are read, by deliveries_newest.
const paymentsOfKeys = sql<FoundPayment, { keys: readonly string[]; merchantId: string }>(
  'payments_of_job_keys',
  (p) => `
    WITH meant AS (
      SELECT id FROM payments WHERE id = ANY (${p.keys})
      UNION SELECT payment_id FROM events WHERE id = ANY (${p.keys})
      UNION SELECT payment_id FROM refunds WHERE id = ANY (${p.keys})
      UNION SELECT payment_id FROM deliveries WHERE id = ANY (${p.keys})
      UNION (SELECT payment_id FROM deliveries WHERE endpoint_id = ANY (${p.keys}) AND status = 'pending'
        LIMIT ${MAX_FOUND})
      UNION (SELECT payment_id FROM (
          SELECT payment_id, endpoint_id FROM deliveries WHERE merchant_id = ${p.merchantId}
          ORDER BY id DESC LIMIT 1000) newest
        WHERE endpoint_id = ANY (${p.keys}) LIMIT ${MAX_FOUND})
    )
    SELECT p.id, p.merchant_id, p.status, p.created_at FROM meant JOIN payments p USING (id)
    ORDER BY p.id DESC LIMIT ${MAX_FOUND}`,
);

/**
 * Returns the payments that the keys of jobs are about: ids of payments, events, refunds, deliveries and
 * endpoints. The newest first.
 */
export function findPaymentsOf(connection: Connection, keys: readonly string[]): Promise<FoundPayment[]> {
  // An endpoint's id begins with its merchant's, or with that of a payment with a test clock.
  const owners = keys.flatMap((key) => (key.includes(' ') ? [key.slice(0, key.indexOf(' '))] : []));
  const merchantId = [...owners, ...keys].find((key) => key.startsWith('mer_')) ?? '';
  return run(connection, paymentsOfKeys, { keys: [...keys, ...owners], merchantId });
}
