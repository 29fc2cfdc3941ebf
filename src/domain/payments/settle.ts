import { finish } from '../due-work/store.ts';
import type { Context } from '../../platform/context.ts';
import { asWritten, subtract } from '../../platform/money.ts';
import { assess, type PaymentTransfer } from './assess.ts';
import { simulatedExchange, type Exchange } from './exchange.ts';
import { settlePayment } from './jobs.ts';
import type { Payment } from './payment.ts';
import { allows } from './states.ts';
import { readPayments } from './store.ts';
import { readTransfers } from './transfers.ts';
import { transition, type Move } from './transition.ts';

/**
 * Converts what the payments received into their settlement coin and settles them; a refused conversion fails its payment.
 * The exchange is asked outside any transaction. A payment that left PROCESSING meanwhile (its block was reorganised) is not moved;
 * if it came back meanwhile, its new due work stays.
 */
export async function settlePayments(
  ctx: Context,
  ids: readonly string[],
  exchange: Exchange = simulatedExchange,
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
    await finish(tx, settlePayment, ids, startedAt);
    return settled;
  });
  for (const { id, status, actually_paid, actually_paid_currency } of moved)
    ctx.log.info(`payment ${status}`, { payment_id: id, paid: `${actually_paid} ${actually_paid_currency}` });
}

async function convert(
  payment: Payment,
  transfers: readonly PaymentTransfer[],
  exchange: Exchange,
  now: Date,
): Promise<Move> {
  const { paid, paidCurrency, received } = assess(payment, transfers);
  const answer = await exchange.convert({
    reference: payment.id,
    paid,
    paidCurrency,
    settled: subtract(received, payment.amount_refunded),
    settledCurrency: payment.pay_currency,
  });
  if (answer === 'refused') return { paymentId: payment.id, cause: 'conversion_failed' };
  const written = paidCurrency === payment.coin ? payment.crypto_amount : payment.pay_amount;
  const changes = {
    actually_paid: asWritten(paid, written),
    actually_paid_currency: paidCurrency,
    settled_at: now,
  };
  return { paymentId: payment.id, cause: 'settled', changes };
}
