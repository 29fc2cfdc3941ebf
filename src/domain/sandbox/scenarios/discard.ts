import { chainKey } from '../../chain/chain-key.ts';
import { NETWORK_IDS } from '../../chain/networks.ts';
import type { TestChain } from '../../chain/test-chain.ts';
import { lockPayments } from '../../payments/lifecycle/store.ts';
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

const OF_PAYMENTS = [
  sql<never, { ids: readonly string[] }>(
    'discard_attempts',
    (p) => `
      DELETE FROM delivery_attempts
      WHERE delivery_id IN (SELECT id FROM deliveries WHERE payment_id = ANY (${p.ids}))`,
  ),
  ...OWNED_TABLES.map((table) =>
    sql<never, { ids: readonly string[] }>(
      `discard_${table}`,
      (p) => `DELETE FROM ${table} WHERE payment_id = ANY (${p.ids})`,
    ),
  ),
  sql<never, { ids: readonly string[] }>(
    'discard_endpoints',
    (p) => `
      DELETE FROM webhook_endpoints WHERE id IN (
        SELECT p.id || coalesce(' ' || r.id, '') FROM payments p LEFT JOIN (
            SELECT id, merchant_id FROM endpoint_registrations UNION ALL SELECT NULL, id FROM merchants
          ) r ON r.merchant_id = p.merchant_id
        WHERE p.id = ANY (${p.ids}))`,
  ),
  sql<never, { ids: readonly string[] }>(
    'discard_jobs',
    (p) => `DELETE FROM scheduled_jobs WHERE test_clock = ANY (${p.ids})`,
  ),
  // scenario_runs and unapplied_transfers follow.
  sql<never, { ids: readonly string[] }>(
    'discard_payments',
    (p) => `DELETE FROM payments WHERE id = ANY (${p.ids})`,
  ),
];

const discardCursors = sql<never, { chains: readonly string[] }>(
  'discard_chain_cursors',
  (p) => `DELETE FROM chain_cursors WHERE chain = ANY (${p.chains})`,
);

/**
 * Deletes the payments of scenarios, with everything they caused: of one that did not run to its end, whose
 * payment no reply has named and that would be confusing in the merchant's list, and of one that ended long
 * ago.
 */
export async function discardPayments(db: Db, chain: TestChain, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await db.transaction(async (tx) => {
    await lockPayments(tx, ids);
    for (const statement of OF_PAYMENTS) await run(tx, statement, { ids });
    const chains = ids.flatMap((id) => NETWORK_IDS.map((network) => chainKey(network, id)));
    await run(tx, discardCursors, { chains });
    for (const id of ids) await chain.discard(tx, id);
  });
}
