import { finish } from '../../schedule/store.ts';
import type { Context } from '../../../platform/context.ts';
import { run, sql, type Tx } from '../../../platform/postgres/db.ts';
import { add, compare } from '../../../platform/values/money.ts';
import { postEntries, refundedEntry } from '../ledger/ledger.ts';
import { sendRefund } from '../lifecycle/jobs.ts';
import type { Payment } from '../lifecycle/payment.ts';
import type { PaymentAdapters } from '../lifecycle/ports.ts';
import { isSettled } from '../lifecycle/states.ts';
import { lockPayments } from '../lifecycle/store.ts';
import { transition, type TransitionRequest } from '../lifecycle/transition.ts';
import { scheduleOffers } from './accept.ts';
import { stopPayout } from './by-signer/intent.ts';
import { claimCovered } from './coverage.ts';
import { acceptDueRefunds } from './due.ts';
import { markCompleted, markUnsigned, readPendingRefunds, type Refund } from './store.ts';

/**
 * Asks for the payouts of refunds; where that completes a refund at once, its payment moves. One that is only
 * accepted is the merchant's to pay, until a final transfer completes it. The payout is idempotent by the
 * refund's id, and only the run that completes the row moves the payment. A refund whose coins are not
 * confirmed any more waits, unless its payout was asked for before.
 */
export async function sendRefunds(
  ctx: Context,
  { payouts }: Pick<PaymentAdapters, 'payouts'>,
  ids: readonly string[],
): Promise<void> {
  const startedAt = ctx.now();
  const uncovered: string[] = [];
  for (const pending of await readPendingRefunds(ctx.db, ids)) {
    const refund = await ctx.db.transaction((tx) => claimCovered(tx, pending, ctx.now()));
    if (refund === null) {
      uncovered.push(pending.id);
      continue;
    }
    const { id: reference, coin: currency, network, coin_amount: amount, address } = refund;
    if (address === null) throw new Error(`refund ${reference} is pending without an address`);
    const paid = await payouts.request({ reference, amount, currency, network, address });
    if (paid === 'accepted') {
      await ctx.db.transaction(async (tx) => {
        await markUnsigned(tx, reference);
        await scheduleOffers(tx, [reference], ctx.now());
      });
      continue;
    }
    const moved = await ctx.db.transaction((tx) => completeRefund(tx, refund, paid.txHash, ctx.now()));
    for (const { id, status, amount_refunded } of moved)
      ctx.log.info('payment refunded', { payment_id: id, refund_id: refund.id, status, amount_refunded });
  }
  await finish(
    ctx.db,
    sendRefund,
    ids.filter((id) => !uncovered.includes(id)),
    startedAt,
  );
}

const updateRefunded = sql<never, { id: string; amountRefunded: string | undefined }>(
  'update_amount_refunded',
  (p) => `UPDATE payments SET amount_refunded = ${p.amountRefunded} WHERE id = ${p.id}`,
);

/** Completes a refund that was paid out, and returns the payment if it moved. */
export async function completeRefund(tx: Tx, refund: Refund, txHash: string, now: Date): Promise<Payment[]> {
  const [payment] = await lockPayments(tx, [refund.payment_id]);
  if (payment === undefined || !(await markCompleted(tx, refund.id, txHash, now))) return [];
  const request = refundTransition(payment, { ...refund, status: 'COMPLETED', tx_hash: txHash });
  const moved = await transition(tx, [request], now);
  // A payment that a reorganisation of its blocks reopened: then only the sum changes.
  if (moved.length === 0)
    await run(tx, updateRefunded, { id: payment.id, amountRefunded: request.changes?.amount_refunded });
  const { coin, network, coin_amount: amount, source, offered_at } = refund;
  if (offered_at !== null) await stopPayout(tx, { id: refund.id, txHash, now });
  await postEntries(tx, [refundedEntry(payment.id, source, { coin, network, amount })], now);
  // REFUNDED now: what came beside the settled price is due as a refund, too.
  await acceptDueRefunds(tx, [payment.id], now);
  return moved;
}

/**
 * A settled payment stays settled until everything is sent back. Any other one is refunded as a whole, in
 * every coin that came: from the first of these refunds on, it is REFUNDED.
 */
export function refundTransition(payment: Payment, refund: Refund): TransitionRequest {
  const refunded = add(payment.amount_refunded, refund.amount);
  const isPart = isSettled(payment.status) && compare(refunded, payment.amount_received) < 0;
  const { id, amount, currency, reason, coin, network, coin_amount, address, tx_hash, price } = refund;
  return {
    paymentId: payment.id,
    trigger: isPart ? 'refunded_in_part' : 'refunded_in_full',
    changes: { amount_refunded: refunded },
    refund: {
      id,
      amount,
      currency,
      reason,
      coin,
      network,
      coinAmount: coin_amount,
      address,
      txHash: tx_hash,
      ...(price === null ? {} : { price }),
    },
  };
}
