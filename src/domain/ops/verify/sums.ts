import { hasToConvert } from '../../payments/conversions/plan.ts';
import { settlePayment } from '../../payments/lifecycle/jobs.ts';
import type { Payment } from '../../payments/lifecycle/payment.ts';
import { isOpen } from '../../payments/lifecycle/states.ts';
import { dueRefundOf } from '../../payments/refunds/due.ts';
import { evaluate } from '../../payments/transfers/evaluate.ts';
import type { PaymentTransfer } from '../../payments/transfers/payment-transfer.ts';
import { readTransfersByPayment } from '../../payments/transfers/store.ts';
import type { Tx } from '../../../platform/postgres/db.ts';
import type { Invariant, Offender, Page, Range } from './invariant.ts';
import { exists, runOf, searchRows } from './pages/statements.ts';

/** The columns that decide; metadata and descriptions may be long, and stay in the database. */
type DecidingColumns = Pick<
  Payment,
  | 'id'
  | 'status'
  | 'exceptions'
  | 'pay_amount'
  | 'pay_currency'
  | 'pay_network'
  | 'policy'
  | 'expires_at'
  | 'cancelled_at'
  | 'settled_at'
  | 'fully_funded'
>;

const withMoney = searchRows<DecidingColumns & { has_job: boolean }, Range>(
  'verify_payments_with_money',
  (within) => `
    SELECT id, status, exceptions, pay_amount, pay_currency, pay_network, policy, expires_at, cancelled_at,
      settled_at,
      fully_funded,
      ${exists(`scheduled_jobs j WHERE j.job = '${settlePayment.name}' AND j.key = id`)} AS has_job
    FROM payments
    WHERE ${within('id')} AND (fully_funded OR exceptions && ARRAY['underpaid', 'overpaid']
      OR ${exists('transfers t WHERE t.payment_id = id')})`,
);

/** Searches with the functions that decide about a payment: each rule is written once. */
async function findUndecided(tx: Tx, page: Page): Promise<Offender[]> {
  const rows = await runOf(tx, withMoney, page);
  const ids = rows.map(({ id }) => id);
  const transfersOf = await readTransfersByPayment(tx, ids);
  return rows.flatMap(({ has_job, ...row }) => {
    const transfers = transfersOf.get(row.id) ?? [];
    const faults = faultsOf(row as Payment, transfers);
    if (!has_job && hasToConvert(row as Payment, transfers))
      faults.push(`confirmed money is not converted, and the job ${settlePayment.name} does not exist`);
    return faults.map((detail) => ({ id: row.id, detail }));
  });
}

function faultsOf(payment: Payment, transfers: readonly PaymentTransfer[]): string[] {
  const faults: string[] = [];
  const { sumException, isFullyFunded, received } = evaluate(payment, transfers);
  const stored = payment.exceptions.filter((one) => one === 'underpaid' || one === 'overpaid');
  if (stored.join() !== (sumException ?? ''))
    faults.push(
      `exceptions has ${stored.join(' and ') || 'neither underpaid nor overpaid'}, ${received} received of ` +
        `${payment.pay_amount} is ${sumException ?? 'neither'}`,
    );
  if (isOpen(payment.status) && payment.fully_funded !== isFullyFunded)
    faults.push(`fully_funded is ${payment.fully_funded}, its transfers say ${isFullyFunded}`);
  const due = dueRefundOf(payment, transfers);
  if (due !== null) faults.push(`its policy owes a refund (${due.reason}) that was not accepted`);
  return faults;
}

/** What follows from the sum of a payment's transfers. */
export const sumInvariants: readonly Invariant[] = [
  {
    name: 'sums',
    meaning:
      'underpaid, overpaid and fully_funded follow from the transfers; what confirmed is converted, or sent back ' +
      'where the policy owes it',
    remedy:
      'A transfer was changed by hand, or the tolerance of its coin was. Schedule payment.settle for money that ' +
      'is not converted; refund by the API what is owed.',
    find: findUndecided,
  },
];
