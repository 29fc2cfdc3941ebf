import { run, sql, type Tx } from '../../../platform/postgres/db.ts';
import { evaluate } from '../transfers/evaluate.ts';
import { dueRefundOf } from './due.ts';
import type { Payment } from '../lifecycle/payment.ts';
import { acceptRefund } from './refund.ts';
import { readPendingRefunds } from '../lifecycle/store.ts';
import { readTransfers } from '../transfers/store.ts';

const paymentsWithRefundPolicy = sql<Payment>(
  'payments_with_generous_policy',
  `SELECT * FROM payments
   WHERE id = ANY ($1) AND ((policy->>'late' = 'refund' AND 'late' = ANY (exceptions)) OR policy->>'overpaid' = 'refund_excess')`,
);

/**
 * Promises the refunds that the payments' policies owe now: late money, or what was too much. The caller, which has just moved the
 * payments or noted their money, holds their rows.
 */
export async function acceptDueRefunds(tx: Tx, ids: readonly string[], now: Date): Promise<void> {
  const payments = await run(tx, paymentsWithRefundPolicy, [ids]);
  if (payments.length === 0) return;
  const concerned = payments.map(({ id }) => id);
  const transfers = await readTransfers(tx, concerned);
  const promised = await readPendingRefunds(tx, concerned);
  for (const payment of payments) {
    const own = transfers.filter(({ payment_id }) => payment_id === payment.id);
    const owed = dueRefundOf(payment, evaluate(payment, own), promised.get(payment.id) ?? '0');
    if (owed !== null) await acceptRefund(tx, payment, owed, now);
  }
}
