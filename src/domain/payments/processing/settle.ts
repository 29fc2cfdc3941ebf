import { finish } from '../../schedule/store.ts';
import type { Context } from '../../../platform/context.ts';
import type { Tx } from '../../../platform/postgres/db.ts';
import { asWritten, subtract } from '../../../platform/values/money.ts';
import { evaluate, type PaymentTransfer } from '../transfers/evaluate.ts';
import type { CurrencyExchange } from './currency-exchange.ts';
import { settlePayment } from '../lifecycle/jobs.ts';
import { postEntries, readHeld, settledEntries } from '../ledger/ledger.ts';
import type { Payment } from '../lifecycle/payment.ts';
import { acceptDueRefunds } from '../refunds/accept-due.ts';
import { allows } from '../lifecycle/states.ts';
import { readPayments } from '../lifecycle/store.ts';
import { readTransfers } from '../transfers/store.ts';
import { transition, type TransitionRequest } from '../lifecycle/transition.ts';

/**
 * Converts what the payments received into their settlement coin and settles them; a refused conversion fails its payment.
 * The exchange is asked outside any transaction. A payment that left PROCESSING meanwhile (its block was reorganised) is not moved;
 * if it came back meanwhile, its new due work stays.
 */
export async function settlePayments(
  ctx: Context,
  ids: readonly string[],
  exchange: CurrencyExchange,
): Promise<void> {
  const startedAt = ctx.now();
  const payments = (await readPayments(ctx.db, ids)).filter(({ status }) => allows(status, 'settled'));
  const transfers = await readTransfers(
    ctx.db,
    payments.map(({ id }) => id),
  );
  const moves = await Promise.all(
    payments.map((payment) =>
      convert(
        payment,
        transfers.filter(({ payment_id }) => payment_id === payment.id),
        exchange,
        ctx.now(),
      ),
    ),
  );
  const now = ctx.now();
  const moved = await ctx.db.transaction(async (tx) => {
    const settled = await transition(tx, moves, now);
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

/** Books what was held as the merchant's, and sends back what the policy says was too much. */
async function settleLedger(tx: Tx, settled: readonly Payment[], now: Date): Promise<void> {
  const ids = settled.map(({ id }) => id);
  const held = await readHeld(tx, ids);
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
  const answer = await exchange.convert({
    reference: payment.id,
    paid,
    paidCurrency,
    settled: subtract(received, payment.amount_refunded),
    settledCurrency: payment.pay_currency,
  });
  if (answer === 'refused') return { paymentId: payment.id, trigger: 'conversion_failed' };
  const written = paidCurrency === payment.coin ? payment.crypto_amount : payment.pay_amount;
  const changes = {
    actually_paid: asWritten(paid, written),
    actually_paid_currency: paidCurrency,
    settled_at: now,
  };
  return { paymentId: payment.id, trigger: 'settled', changes };
}
