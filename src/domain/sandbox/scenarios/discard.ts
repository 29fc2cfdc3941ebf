import { chainKey } from '../../chain/chain-key.ts';
import { NETWORK_IDS } from '../../chain/networks.ts';
import type { TestChain } from '../../chain/port.ts';
import { run, sql, type Db } from '../../../platform/postgres/db.ts';

const OWNED_TABLES = [
  'deliveries',
  'events',
  'refunds',
  'refund_addresses',
  'ledger_entries',
  'conversions',
  'transfers',
  'quotes',
];

const OF_PAYMENT = [
  sql<never, { id: string }>(
    'discard_attempts',
    (p) => `
      DELETE FROM delivery_attempts
      WHERE delivery_id IN (SELECT id FROM deliveries WHERE payment_id = ${p.id})`,
  ),
  ...OWNED_TABLES.map((table) =>
    sql<never, { id: string }>(`discard_${table}`, (p) => `DELETE FROM ${table} WHERE payment_id = ${p.id}`),
  ),
  sql<never, { id: string }>('discard_endpoint', (p) => `DELETE FROM webhook_endpoints WHERE id = ${p.id}`),
  sql<never, { id: string }>('discard_jobs', (p) => `DELETE FROM scheduled_jobs WHERE test_clock = ${p.id}`),
  sql<never, { id: string }>('discard_payment', (p) => `DELETE FROM payments WHERE id = ${p.id}`),
];

const discardCursors = sql<never, { chains: readonly string[] }>(
  'discard_chain_cursors',
  (p) => `DELETE FROM chain_cursors WHERE chain = ANY (${p.chains})`,
);

/**
 * Deletes the payment of a scenario that did not run to its end, with everything it caused. No reply has
 * named the payment yet, and half a scenario in the merchant's list would be confusing.
 */
export async function discardPayment(db: Db, chain: TestChain, id: string): Promise<void> {
  await db.transaction(async (tx) => {
    for (const statement of OF_PAYMENT) await run(tx, statement, { id });
    await run(tx, discardCursors, { chains: NETWORK_IDS.map((network) => chainKey(network, id)) });
    await chain.discard(tx, id);
  });
}
