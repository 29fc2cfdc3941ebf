import { finish } from '../../schedule/store.ts';
import type { Context } from '../../../platform/context.ts';
import { run, sql, type Tx } from '../../../platform/postgres/db.ts';
import { add, compare } from '../../../platform/values/money.ts';
import { postEntries, readHeldBalances, refundedEntries } from '../ledger/ledger.ts';
import { sendRefund } from '../lifecycle/jobs.ts';
import type { Payment } from '../lifecycle/payment.ts';
import type { PaymentAdapters } from '../lifecycle/ports.ts';
import { lockPayments } from '../lifecycle/store.ts';
import { transition, type TransitionRequest } from '../lifecycle/transition.ts';
import { evaluate } from '../transfers/evaluate.ts';
import { readTransfers } from '../transfers/store.ts';
import type { Refund } from './accept.ts';

type PendingRefund = Refund & { readonly pay_network: string };

const pendingRefunds = sql<PendingRefund, { ids: readonly string[] }>(
  'pending_refunds',
  (p) => `
    SELECT r.id, r.payment_id, r.amount, r.currency, r.reason, r.address, r.status, r.created_at,
      p.pay_network
    FROM refunds r JOIN payments p ON p.id = r.payment_id
    WHERE r.id = ANY (${p.ids}) AND r.status = 'PENDING'
    ORDER BY r.created_at, r.id`,
);

/**
 * Pays out refunds and moves their payments, to REFUNDED once all money received was sent back. The payout is
 * idempotent by the refund's id, and only the run that completes the row moves the payment.
 */
export async function sendRefunds(
  ctx: Context,
  { payouts }: Pick<PaymentAdapters, 'payouts'>,
  ids: readonly string[],
): Promise<void> {
  for (const refund of await run(ctx.db, pendingRefunds, { ids })) {
    const { txHash } = await payouts.send({
      reference: refund.id,
      amount: refund.amount,
      currency: refund.currency,
      network: refund.pay_network,
      address: refund.address,
    });
    const moved = await ctx.db.transaction((tx) => complete(tx, refund, txHash, ctx.now()));
    for (const { id, status, amount_refunded } of moved)
      ctx.log.info('payment refunded', { payment_id: id, refund_id: refund.id, status, amount_refunded });
  }
  await finish(ctx.db, sendRefund, ids, ctx.now());
}

const completeRefund = sql<{ id: string }, { id: string; txHash: string; now: Date }>(
  'complete_refund',
  (p) => `
    UPDATE refunds SET status = 'COMPLETED', tx_hash = ${p.txHash}, completed_at = ${p.now}
    WHERE id = ${p.id} AND status = 'PENDING'
    RETURNING id`,
);
const updateRefunded = sql<never, { id: string; amountRefunded: string | undefined }>(
  'update_amount_refunded',
  (p) => `UPDATE payments SET amount_refunded = ${p.amountRefunded} WHERE id = ${p.id}`,
);

/** Completes a refund that was paid out, and returns the payment if it moved. */
async function complete(tx: Tx, refund: PendingRefund, txHash: string, now: Date): Promise<Payment[]> {
  const [payment] = await lockPayments(tx, [refund.payment_id]);
  const completed = await run(tx, completeRefund, { id: refund.id, txHash, now });
  if (payment === undefined || completed.length === 0) return [];
  const request = await refundTransition(tx, payment, refund);
  const moved = await transition(tx, [request], now);
  // Late money may have reopened the payment while the refund was in flight: then only the sum changes.
  if (moved.length === 0)
    await run(tx, updateRefunded, { id: payment.id, amountRefunded: request.changes?.amount_refunded });
  const held = (await readHeldBalances(tx, [payment.id])).get(payment.id) ?? '0';
  await postEntries(tx, refundedEntries(payment.id, refund.amount, held), now);
  return moved;
}

async function refundTransition(tx: Tx, payment: Payment, refund: Refund): Promise<TransitionRequest> {
  // All money received, unconfirmed money too: REFUNDED is final, and nothing can be sent back after it.
  const { received } = evaluate(payment, await readTransfers(tx, [payment.id]));
  const refunded = add(payment.amount_refunded, refund.amount);
  const isAll = compare(refunded, received) >= 0;
  return {
    paymentId: payment.id,
    trigger: isAll ? 'refunded_in_full' : 'refunded_in_part',
    changes: { amount_refunded: refunded },
    refund: { id: refund.id, amount: refund.amount, currency: refund.currency, reason: refund.reason },
  };
}
