import { finish } from '../../schedule/store.ts';
import type { Context } from '../../../platform/context.ts';
import type { Tx } from '../../../platform/postgres/db.ts';
import { asWritten, subtract } from '../../../platform/values/money.ts';
import { postEntries, readHeldBalances, settledEntries } from '../ledger/ledger.ts';
import { settlePayment } from '../lifecycle/jobs.ts';
import type { Payment } from '../lifecycle/payment.ts';
import type { CurrencyExchange, PaymentAdapters } from '../lifecycle/ports.ts';
import { isProcessing } from '../lifecycle/states.ts';
import { readPayments } from '../lifecycle/store.ts';
import { transition, type TransitionRequest } from '../lifecycle/transition.ts';
import { acceptDueRefunds } from '../refunds/due.ts';
import { evaluate, type PaymentTransfer } from '../transfers/evaluate.ts';
import { readTransfers } from '../transfers/store.ts';

/**
 * Converts the money of the payments into their settlement coin and settles them; a refused conversion fails
 * its payment. The currency exchange is called outside any transaction. A payment that left PROCESSING
 * meanwhile (its block was reorganised) does not move; when it has returned to PROCESSING meanwhile, its new
 * job stays.
 */
export async function settlePayments(
  ctx: Context,
  { exchange }: Pick<PaymentAdapters, 'exchange'>,
  ids: readonly string[],
): Promise<void> {
  const startedAt = ctx.now();
  const payments = (await readPayments(ctx.db, ids)).filter(({ status }) => isProcessing(status));
  const transfers = await readTransfers(
    ctx.db,
    payments.map(({ id }) => id),
  );
  const requests = await Promise.all(
    payments.map((payment) => {
      const own = transfers.filter(({ payment_id }) => payment_id === payment.id);
      return convert(payment, own, exchange, ctx.now());
    }),
  );
  const now = ctx.now();
  const moved = await ctx.db.transaction(async (tx) => {
    const settled = await transition(tx, requests, now);
    await settleLedger(
      tx,
      settled.filter(({ settled_at }) => settled_at !== null),
      now,
    );
    await finish(tx, settlePayment, ids, startedAt);
    return settled;
  });
  for (const { id, status, actually_paid, actually_paid_currency } of moved)
    ctx.log.info(`payment ${status}`, { payment_id: id, paid: `${actually_paid} ${actually_paid_currency}` });
}

/** Posts the held money to the merchant, and accepts the refund of an excess that the policy owes. */
async function settleLedger(tx: Tx, settled: readonly Payment[], now: Date): Promise<void> {
  const ids = settled.map(({ id }) => id);
  const held = await readHeldBalances(tx, ids);
  await postEntries(
    tx,
    ids.flatMap((id) => settledEntries(id, held.get(id) ?? '0')),
    now,
  );
  await acceptDueRefunds(tx, ids, now);
}

async function convert(
  payment: Payment,
  transfers: readonly PaymentTransfer[],
  exchange: CurrencyExchange,
  now: Date,
): Promise<TransitionRequest> {
  const { paid, paidCurrency, received } = evaluate(payment, transfers);
  const outcome = await exchange.convert({
    reference: payment.id,
    paid,
    paidCurrency,
    settled: subtract(received, payment.amount_refunded),
    settledCurrency: payment.pay_currency,
  });
  if (outcome === 'refused') return { paymentId: payment.id, trigger: 'conversion_failed' };
  const written = paidCurrency === payment.coin ? payment.crypto_amount : payment.pay_amount;
  const changes = {
    actually_paid: asWritten(paid, written),
    actually_paid_currency: paidCurrency,
    settled_at: now,
  };
  return { paymentId: payment.id, trigger: 'settled', changes };
}
