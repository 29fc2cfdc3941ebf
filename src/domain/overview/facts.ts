import type { NetworkId } from '../chain/networks.ts';
import { runOne, sql, type Connection } from '../../platform/postgres/db.ts';

/** What the home page must know of a merchant before it reads anything else. */
export interface MerchantFacts {
  /** Where its live payments are taken. */
  readonly networks: readonly NetworkId[];
  /** IANA name. */
  readonly time_zone: string;
  /** False: the merchant is new. */
  readonly has_payments: boolean;
}

// Index: payments_newest.
const factsOfMerchant = sql<MerchantFacts, { merchantId: string }>(
  'overview_facts_of_merchant',
  (p) => `
    SELECT m.time_zone, ARRAY(
        SELECT m.settlement_network
        UNION SELECT method->>'network' FROM jsonb_array_elements(m.accepted_methods) method
        ORDER BY 1) AS networks,
      EXISTS (SELECT FROM payments WHERE merchant_id = m.id) AS has_payments
    FROM merchants m WHERE m.id = ${p.merchantId}`,
);

/** Returns the facts of a merchant that exists. */
export async function readFacts(connection: Connection, merchantId: string): Promise<MerchantFacts> {
  const facts = await runOne(connection, factsOfMerchant, { merchantId });
  if (facts === null) throw new RangeError(`There is no merchant ${merchantId}`);
  return facts;
}
