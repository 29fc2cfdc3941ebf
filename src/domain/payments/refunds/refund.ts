import { payoutsOf } from '../../chain/chain.ts';
import { finish, schedule } from '../../schedule/store.ts';
import { once } from '../../idempotency/claim.ts';
import type { Context } from '../../../platform/context.ts';
import { run, sql, type Tx } from '../../../platform/postgres/db.ts';
import { reply, type Caller, type IdempotencyClaim, type Reply } from '../../../platform/endpoint.ts';
import { ApiError, ValidationError } from '../../../platform/errors.ts';
import { newId } from '../../../platform/values/ids.ts';
import { add, asWritten, compare, subtract } from '../../../platform/values/money.ts';
import { evaluate } from '../transfers/evaluate.ts';
import { sendRefund } from '../lifecycle/jobs.ts';
import { testClockOf, type Payment } from '../lifecycle/payment.ts';
import { postEntries, readHeld, refundedEntries } from '../ledger/ledger.ts';
import type { RefundBody, RefundResource } from '../schemas.ts';
import { allows } from '../lifecycle/states.ts';
import { findPayment, lockPayments } from '../lifecycle/store.ts';
import { readTransfers } from '../transfers/store.ts';
import { transition, type TransitionRequest } from '../lifecycle/transition.ts';
import { withTestClockOf } from '../lifecycle/test-clock.ts';

interface Refund {
  readonly id: string;
  readonly payment_id: string;
  readonly amount: string;
  readonly currency: string;
  readonly reason: string | null;
  /** Where the customer wanted it when it was promised; null: back to where the money came from. */
  readonly address: string | null;
  readonly status: 'PENDING' | 'COMPLETED';
  readonly created_at: Date;
}

const pendingRefundSum = sql<{ amount: string }>(
  'open_refunds',
  `SELECT coalesce(sum(amount::numeric), 0) AS amount FROM refunds WHERE payment_id = $1 AND status = 'PENDING'`,
);
const insertRefund = sql(
  'insert_refund',
  `INSERT INTO refunds (id, payment_id, amount, currency, reason, address, status, created_at)
   VALUES ($1, $2, $3, $4, $5, $6, 'PENDING', $7)`,
);

/**
 * Accepts a refund of `amount` (in pay_currency; default: all that is left) and schedules its sending. Throws ApiError
 * payment_not_found, refund_not_allowed where the payment's state does not allow it, and ValidationError for more than is left.
 */
export async function requestRefund(
  ctx: Context,
  caller: Caller,
  id: string,
  body: RefundBody,
  claim: IdempotencyClaim | null,
): Promise<Reply> {
  const found = await findPayment(ctx.db, caller.merchantId, id);
  if (found === null) throw new ApiError('payment_not_found');
  const answer = await once(ctx.db, claim, ctx.now(), async (tx) => {
    // The lock makes refunds of one payment stand in line: two that fit only alone must not both fit.
    const [payment] = await lockPayments(tx, [id]);
    if (payment === undefined) throw new ApiError('payment_not_found');
    const now = withTestClockOf(ctx, payment).now();
    const { left, isUnconfirmed } = await refundable(tx, payment);
    checkAllowed(payment, body.amount, left, isUnconfirmed);
    const amount = body.amount ?? asWritten(left, payment.pay_amount);
    return reply(
      201,
      toRefundResource(await acceptRefund(tx, payment, { amount, reason: body.reason ?? null }, now)),
    );
  });
  ctx.log.info('refund accepted', { payment_id: id });
  return answer;
}

/** Writes a refund down, and that it is due to be sent. The caller has checked that the amount is there and holds the payment's row. */
export async function acceptRefund(
  tx: Tx,
  payment: Payment,
  { amount, reason }: { amount: string; reason: string | null },
  now: Date,
): Promise<Refund> {
  const refund: Refund = {
    id: newId('ref', now),
    payment_id: payment.id,
    amount,
    currency: payment.pay_currency,
    reason,
    address: payment.refund_address,
    status: 'PENDING',
    created_at: now,
  };
  await run(tx, insertRefund, [refund.id, payment.id, amount, refund.currency, reason, refund.address, now]);
  await schedule(tx, [{ job: sendRefund, key: refund.id, runAt: now, testClock: testClockOf(payment) }]);
  return refund;
}

/** What was received and confirmed, less what was or is being sent back. Money that could still vanish is not sent back. */
async function refundable(tx: Tx, payment: Payment): Promise<{ left: string; isUnconfirmed: boolean }> {
  const { confirmed, received } = evaluate(payment, await readTransfers(tx, [payment.id]));
  const [open] = await run(tx, pendingRefundSum, [payment.id]);
  return {
    left: subtract(confirmed, add(payment.amount_refunded, open?.amount ?? '0')),
    isUnconfirmed: compare(confirmed, received) < 0,
  };
}

function checkAllowed(
  payment: Payment,
  asked: string | undefined,
  left: string,
  isUnconfirmed: boolean,
): void {
  const { status } = payment;
  if (!allows(status, 'refunded_in_full'))
    throw new ApiError('refund_not_allowed', { message: `A payment that is ${status} cannot be refunded.` });
  const isPart = asked !== undefined && allows(status, 'refunded_in_part');
  if (compare(left, '0') <= 0 && !isPart)
    throw new ApiError('refund_not_allowed', { message: 'No confirmed money is left to refund.' });
  // Nothing goes back out of REFUNDED: what confirmed after it would be stuck.
  if (isUnconfirmed && !allows(status, 'refunded_in_part'))
    throw new ApiError('refund_not_allowed', {
      message: `A payment that is ${status} can be refunded when all of its money has confirmed.`,
    });
  if (asked === undefined) return;
  if (compare(asked, left) > 0)
    throw new ValidationError(
      'amount',
      'maximum',
      `must not be more than what is left to refund, ${left} ${payment.pay_currency}`,
    );
  if (compare(asked, left) < 0 && !isPart)
    throw new ApiError('refund_not_allowed', {
      message: `A payment that is ${status} can only be refunded in full.`,
    });
}

function toRefundResource(refund: Refund): RefundResource {
  const { id, payment_id, amount, currency, status, created_at } = refund;
  return { id, payment_id, amount, currency, status, created_at: created_at.toISOString() };
}

const pendingRefunds = sql<Refund & { pay_network: string }>(
  'pending_refunds',
  `SELECT r.*, p.pay_network FROM refunds r JOIN payments p ON p.id = r.payment_id
   WHERE r.id = ANY ($1) AND r.status = 'PENDING' ORDER BY r.created_at, r.id`,
);
const completeRefund = sql<{ id: string }>(
  'complete_refund',
  `UPDATE refunds SET status = 'COMPLETED', tx_hash = $2, completed_at = $3 WHERE id = $1 AND status = 'PENDING' RETURNING id`,
);

const updateRefunded = sql('note_refunded', `UPDATE payments SET amount_refunded = $2 WHERE id = $1`);

/**
 * Sends refunds and moves their payments: to REFUNDED once everything received was sent back. The payout is idempotent by the
 * refund's id, and only the run that completes the row moves the payment.
 */
export async function sendRefunds(ctx: Context, ids: readonly string[]): Promise<void> {
  for (const refund of await run(ctx.db, pendingRefunds, [ids])) {
    const { txHash } = await payoutsOf(ctx).send({
      reference: refund.id,
      amount: refund.amount,
      currency: refund.currency,
      network: refund.pay_network,
      address: refund.address,
    });
    const moved = await ctx.db.transaction(async (tx) => {
      const now = ctx.now();
      const [payment] = await lockPayments(tx, [refund.payment_id]);
      const completed = await run(tx, completeRefund, [refund.id, txHash, now]);
      if (payment === undefined || completed.length === 0) return [];
      const move = await refundTransition(tx, payment, refund);
      const refunded = await transition(tx, [move], now);
      // Late money may have reopened the payment while its refund was on the way: then its status stays, but the sum must not.
      if (refunded.length === 0) await run(tx, updateRefunded, [payment.id, move.changes?.amount_refunded]);
      const held = (await readHeld(tx, [payment.id])).get(payment.id) ?? '0';
      await postEntries(tx, refundedEntries(payment.id, refund.amount, held), now);
      return refunded;
    });
    for (const { id, status, amount_refunded } of moved)
      ctx.log.info('payment refunded', { payment_id: id, refund_id: refund.id, status, amount_refunded });
  }
  await finish(ctx.db, sendRefund, ids, ctx.now());
}

async function refundTransition(tx: Tx, payment: Payment, refund: Refund): Promise<TransitionRequest> {
  // All that was received, also what is not confirmed, or not any more: REFUNDED is the end, and nothing could be sent back after it.
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
