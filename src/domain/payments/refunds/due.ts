import { run, sql, type Tx } from '../../../platform/postgres/db.ts';
import { planConversion, sendableParts, type Part } from '../conversions/plan.ts';
import { payableUntil, type Payment } from '../lifecycle/payment.ts';
import { RETURNS_EXCESS, RETURNS_LATE, returnsExcess, returnsLate } from '../lifecycle/policy.ts';
import { isExpired, isRefunded, isSettled, statusesThat, type Status } from '../lifecycle/states.ts';
import { HAS_QUARANTINED } from '../lifecycle/quarantine.ts';
import { isConfirmed, isStanding, type PaymentTransfer } from '../transfers/payment-transfer.ts';
import { readTransfersByPayment } from '../transfers/store.ts';
import { returnHeld } from './accept.ts';

/** A refund that a payment's policy owes, without a request. */
export interface DueRefund {
  readonly parts: readonly Part[];
  readonly reason: 'late' | 'overpaid';
}

/**
 * Returns the refund that the payment's policy owes now, or null.
 *
 * `late: refund`: everything of an expired payment that got late money, once all its money has confirmed, and
 * of a refunded one whatever late money confirms. `overpaid: refund_excess`: what a settled payment does not
 * need for its price.
 */
export function dueRefundOf(payment: Payment, transfers: readonly PaymentTransfer[]): DueRefund | null {
  const { policy, exceptions, status, settled_at } = payment;
  const owed = (reason: DueRefund['reason'], parts: readonly Part[]) =>
    parts.length === 0 ? null : { reason, parts };
  const isLate = ({ seen_at }: PaymentTransfer) => seen_at >= payableUntil(payment);
  if (returnsLate(policy) && isExpired(status) && exceptions.includes('late')) {
    // An expired payment can only be refunded in full, so all its money must be confirmed.
    const isWhole = transfers.filter(isStanding).every(isConfirmed);
    return owed('late', isWhole ? sendableParts(transfers) : []);
  }
  if (returnsExcess(policy) && isSettled(status))
    return owed('overpaid', planConversion(payment, transfers).excess);
  if (!isRefunded(status)) return null;
  if (returnsExcess(policy) && settled_at !== null) return owed('overpaid', sendableParts(transfers));
  return returnsLate(policy) ? owed('late', sendableParts(transfers.filter(isLate))) : null;
}

/** Whether the payment's policy may ever owe a refund; it is fixed when the payment is created. */
export const mayOweRefund = ({ policy }: Pick<Payment, 'policy'>): boolean =>
  returnsLate(policy) || returnsExcess(policy);

const mayHoldLate = (status: Status): boolean => isExpired(status) || isRefunded(status);

const paymentsWithRefundPolicy = sql<Payment, { ids: readonly string[] }>(
  'payments_with_refund_policy',
  (p) => `
    SELECT * FROM payments p
    WHERE id = ANY (${p.ids}) AND NOT ${HAS_QUARANTINED('p.id')} AND (
      (${RETURNS_LATE('p')} AND status IN (${statusesThat(mayHoldLate)}))
      OR (${RETURNS_EXCESS('p')} AND settled_at IS NOT NULL))`,
);

/**
 * Accepts the due refunds of the payments: late money, or an excess. The caller has locked the rows of the
 * payments, and has just moved them or recorded their money. Payments whose transfers are quarantined owe
 * nothing until these are applied.
 */
export async function acceptDueRefunds(tx: Tx, ids: readonly string[], now: Date): Promise<void> {
  const payments = ids.length === 0 ? [] : await run(tx, paymentsWithRefundPolicy, { ids });
  if (payments.length === 0) return;
  const transfersOf = await readTransfersByPayment(
    tx,
    payments.map(({ id }) => id),
  );
  for (const payment of payments.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    const transfers = transfersOf.get(payment.id) ?? [];
    const due = dueRefundOf(payment, transfers);
    if (due !== null) await returnHeld(tx, payment, due.parts, { reason: due.reason, transfers }, now);
  }
}
