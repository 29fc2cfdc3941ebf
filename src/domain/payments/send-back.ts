import { run, sql, type Tx } from '../../platform/db.ts';
import { assess } from './assess.ts';
import { owedBack } from './owed.ts';
import type { Payment } from './payment.ts';
import { promiseRefund } from './refund.ts';
import { readPromised } from './store.ts';
import { readTransfers } from './transfers.ts';

const withGenerousPolicy = sql<Payment>(
  'payments_with_generous_policy',
  `SELECT * FROM payments
   WHERE id = ANY ($1) AND ((policy->>'late' = 'refund' AND 'late' = ANY (exceptions)) OR policy->>'overpaid' = 'refund_excess')`,
);

/**
 * Promises the refunds that the payments' policies owe now: late money, or what was too much. The caller, which has just moved the
 * payments or noted their money, holds their rows.
 */
export async function sendBackOwed(tx: Tx, ids: readonly string[], now: Date): Promise<void> {
  const payments = await run(tx, withGenerousPolicy, [ids]);
  if (payments.length === 0) return;
  const concerned = payments.map(({ id }) => id);
  const transfers = await readTransfers(tx, concerned);
  const promised = await readPromised(tx, concerned);
  for (const payment of payments) {
    const own = transfers.filter(({ payment_id }) => payment_id === payment.id);
    const owed = owedBack(payment, assess(payment, own), promised.get(payment.id) ?? '0');
    if (owed !== null) await promiseRefund(tx, payment, owed, now);
  }
}
