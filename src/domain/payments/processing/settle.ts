import { finish, schedule } from '../../schedule/store.ts';
import { addSeconds } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import type { Tx } from '../../../platform/postgres/db.ts';
import { pipelined } from '../../../platform/postgres/transactions/pipelined.ts';
import { transact } from '../../../platform/postgres/transactions/transact.ts';
import { asWritten } from '../../../platform/values/money.ts';
import { hasToConvert, isRefused, planConversion } from '../conversions/plan.ts';
import { settledBy } from '../conversions/settled.ts';
import {
  endConversions,
  readPendingConversions,
  type ConversionResult,
  type ConversionRow,
} from '../conversions/store.ts';
import { convertedEntries, postEntries, settledEntry } from '../ledger/ledger.ts';
import { settlePayment } from '../lifecycle/jobs.ts';
import { jobOf, type Payment } from '../lifecycle/payment.ts';
import type { PaymentAdapters } from '../lifecycle/ports.ts';
import { converts, sells } from '../lifecycle/settlement.ts';
import { isProcessing } from '../lifecycle/states.ts';
import { lockPayments } from '../lifecycle/store.ts';
import { transition, type TransitionRequest } from '../lifecycle/transition.ts';
import { acceptDueRefunds, mayOweRefund } from '../refunds/due.ts';
import { readEndedSales, saleEntries, settledBySales, type EndedSale } from '../sales/settled.ts';
import { described } from '../transfers/decide.ts';
import { evaluate } from '../transfers/evaluate.ts';
import type { PaymentTransfer } from '../transfers/payment-transfer.ts';
import { readTransfersByPayment } from '../transfers/store.ts';
import { begin, convert } from './convert.ts';

/**
 * Converts the confirmed money of payments into their settlement coin, and settles those that are processing;
 * a refused conversion fails its payment. Money that confirms after the settlement is converted by the same
 * job, under the payment's next conversion number.
 *
 * A conversion is stored with its amount before the exchange is called, outside any transaction: a job that
 * runs twice, or a payment that meanwhile left PROCESSING (its block was reorganised) and returned with other
 * money, never asks for another amount under the same reference.
 *
 * Payments whose transfers are quarantined are skipped: the job that applies these schedules the settlement.
 */
export async function settlePayments(
  ctx: Context,
  { exchange }: Pick<PaymentAdapters, 'exchange'>,
  ids: readonly string[],
): Promise<void> {
  const startedAt = ctx.now();
  const { ids: synced, begun } = await transact(ctx.db, (tx) => begin(tx, ids, startedAt));
  const selling = begun.filter(({ payment }) => sells(payment)).map(({ payment }) => payment.id);
  const ended = await convert(begun, exchange, await readEndedSales(ctx.db, selling));
  const now = ctx.now();
  const moved = await transact(ctx.db, async (tx) => {
    await finish(tx, settlePayment, ids, startedAt);
    return end(tx, synced, ended, now);
  });
  for (const { id, status, actually_paid, actually_paid_currency } of moved)
    ctx.log.info(`payment ${status}`, { payment_id: id, paid: `${actually_paid} ${actually_paid_currency}` });
}

/** Records the outcomes, books what was converted, and moves the payments that wait for nothing else. */
async function end(
  tx: Tx,
  ids: readonly string[],
  results: readonly ConversionResult[],
  now: Date,
): Promise<Payment[]> {
  const [payments, recorded] = await pipelined(
    tx,
    () => lockPayments(tx, ids),
    () => endConversions(tx, results, now),
  );
  const byId = new Map(payments.map((payment) => [payment.id, payment]));
  const sales = await readEndedSales(
    tx,
    payments.filter(sells).map(({ id }) => id),
  );
  const entries = recorded.flatMap(({ conversion, outcome }) => {
    const payment = byId.get(conversion.payment_id);
    if (payment === undefined || outcome !== 'converted') return [];
    return entriesOf(payment, conversion, sales.get(payment.id) ?? []);
  });
  await postEntries(tx, entries, now);
  const [pending, transfersOf] = await pipelined(
    tx,
    () => readPendingConversions(tx, ids),
    () => readTransfersByPayment(tx, ids),
  );
  const open = new Set(pending.map(({ payment_id }) => payment_id));
  const requests = payments
    .filter(({ status, id }) => isProcessing(status) && !open.has(id))
    .flatMap(
      (payment) =>
        afterConversions(payment, transfersOf.get(payment.id) ?? [], now, sales.get(payment.id)) ?? [],
    );
  const moved = await transition(tx, requests, now);
  await scheduleNextSettlement(tx, payments, transfersOf, now);
  await scheduleSettlement(
    tx,
    payments.filter(({ id }) => open.has(id)),
    addSeconds(now, WAIT_SECONDS),
  );
  const owing = payments.filter(mayOweRefund);
  await acceptDueRefunds(
    tx,
    owing.map(({ id }) => id),
    now,
  );
  return moved;
}

/**
 * Schedules the settlement of payments with confirmed money to convert: what was too much may be needed after
 * another conversion was refused.
 */
async function scheduleNextSettlement(
  tx: Tx,
  payments: readonly Payment[],
  transfersOf: ReadonlyMap<string, readonly PaymentTransfer[]>,
  now: Date,
): Promise<void> {
  const converting = payments.filter((payment) => hasToConvert(payment, transfersOf.get(payment.id) ?? []));
  await scheduleSettlement(tx, converting, now);
}

/** Money that a reorganisation took out of its block is mined again within a few blocks. */
const WAIT_SECONDS = 600;

async function scheduleSettlement(tx: Tx, payments: readonly Payment[], runAt: Date): Promise<void> {
  await schedule(
    tx,
    payments.map((payment) => jobOf(settlePayment, payment, runAt)),
  );
}

/**
 * Decides, without I/O, what follows for a payment in PROCESSING when no conversion of it is open; null: more
 * money must be converted first.
 */
export function afterConversions(
  payment: Payment,
  transfers: readonly PaymentTransfer[],
  now: Date,
  sales: readonly EndedSale[] = [],
): TransitionRequest | null {
  if (isRefused(transfers)) return { paymentId: payment.id, trigger: 'conversion_failed' };
  if (planConversion(payment, transfers).convert.length > 0) return null;
  return settlement(payment, transfers, sales, now);
}

function entriesOf(payment: Payment, conversion: ConversionRow, sales: readonly EndedSale[]) {
  const { id, pay_currency, pay_network } = payment;
  const sale = sales.find(({ number }) => number === conversion.number);
  if (sale !== undefined) return saleEntries(payment, sale);
  const { coin, network, amount, credit } = conversion;
  if (!converts(payment)) return [settledEntry(id, { coin, network, amount })];
  return convertedEntries(
    id,
    { coin, network, amount },
    { coin: pay_currency, network: pay_network, amount: credit },
  );
}

function settlement(
  payment: Payment,
  transfers: readonly PaymentTransfer[],
  sales: readonly EndedSale[],
  now: Date,
): TransitionRequest {
  const evaluation = evaluate(payment, transfers);
  const { paid, paidCurrency } = evaluation;
  const written = paidCurrency === payment.coin ? payment.crypto_amount : payment.pay_amount;
  return {
    paymentId: payment.id,
    trigger: 'settled',
    changes: {
      ...described(payment, transfers, evaluation),
      actually_paid: asWritten(paid, written),
      actually_paid_currency: paidCurrency,
      ...(sells(payment) ? settledBySales(payment, sales) : settledBy(payment, transfers)),
      settled_at: now,
    },
  };
}
