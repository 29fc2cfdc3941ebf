import { NETWORK_IDS } from '../../chain/networks.ts';
import { chainKey } from '../../chain/simulator/store.ts';
import { run, sql, type Db } from '../../../platform/postgres/db.ts';

const OF_PAYMENT = [
  sql(
    'forget_attempts',
    `DELETE FROM delivery_attempts WHERE delivery_id IN (SELECT id FROM deliveries WHERE payment_id = $1)`,
  ),
  ...['deliveries', 'events', 'refunds', 'ledger_entries', 'transfers', 'quotes'].map((table) =>
    sql(`forget_${table}`, `DELETE FROM ${table} WHERE payment_id = $1`),
  ),
  sql('forget_endpoint', `DELETE FROM webhook_endpoints WHERE id = $1`),
  sql('forget_due_work', `DELETE FROM scheduled_jobs WHERE test_clock = $1`),
  sql('forget_payment', `DELETE FROM payments WHERE id = $1`),
];
const OF_CHAINS = ['sim_transfers', 'sim_heads', 'chain_cursors'].map((table) =>
  sql(`forget_${table}`, `DELETE FROM ${table} WHERE chain = ANY ($1)`),
);

/**
 * Removes the payment of a scenario that could not be played to its end, with all that it caused: nobody has seen it yet, and half a
 * story in the merchant's list would only puzzle.
 */
export async function discardPayment(db: Db, paymentId: string): Promise<void> {
  await db.transaction(async (tx) => {
    for (const statement of OF_PAYMENT) await run(tx, statement, [paymentId]);
    const chains = NETWORK_IDS.map((network) => chainKey(network, paymentId));
    for (const statement of OF_CHAINS) await run(tx, statement, [chains]);
  });
}
