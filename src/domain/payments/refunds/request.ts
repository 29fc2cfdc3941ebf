import { once } from '../../idempotency/claim.ts';
import type { Context } from '../../../platform/context.ts';
import type { Tx } from '../../../platform/postgres/db.ts';
import { reply, type Caller, type IdempotencyClaim, type Reply } from '../../../platform/endpoint.ts';
import { ApiError, ValidationError } from '../../../platform/errors.ts';
import { add, asWritten, compare, subtract } from '../../../platform/values/money.ts';
import type { Payment } from '../lifecycle/payment.ts';
import { isRefundable, isRefundableInPart } from '../lifecycle/states.ts';
import { getPayment, lockPayment } from '../lifecycle/store.ts';
import { withTestClockOf } from '../lifecycle/test-clock.ts';
import { evaluate } from '../transfers/evaluate.ts';
import { readTransfers } from '../transfers/store.ts';
import { acceptRefund, readPendingRefunds, type Refund } from './accept.ts';
import type { RefundBody, RefundResource } from './schemas.ts';

/**
 * Accepts a refund of `amount` (in pay_currency; default: all that is left) and schedules its payout. Throws
 * ApiError payment_not_found, refund_not_allowed when the payment's status does not allow it, and
 * ValidationError for more than is left.
 */
export async function requestRefund(
  ctx: Context,
  caller: Caller,
  id: string,
  body: RefundBody,
  claim: IdempotencyClaim | null,
): Promise<Reply> {
  await getPayment(ctx.db, caller.merchantId, id);
  const accepted = await once(ctx.db, claim, ctx.now(), async (tx) => {
    // The lock serialises refunds of one payment: two that exceed the rest together must not both be
    // accepted.
    const payment = await lockPayment(tx, id);
    const now = withTestClockOf(ctx, payment).now();
    const { left, isUnconfirmed } = await refundable(tx, payment);
    checkAllowed(payment, body.amount, left, isUnconfirmed);
    const amount = body.amount ?? asWritten(left, payment.pay_amount);
    return reply(
      201,
      toResource(await acceptRefund(tx, payment, { amount, reason: body.reason ?? null }, now)),
    );
  });
  ctx.log.info('refund accepted', { payment_id: id });
  return accepted;
}

/** Returns the confirmed money less all refunds, pending ones included. Unconfirmed money is not refunded. */
async function refundable(tx: Tx, payment: Payment): Promise<{ left: string; isUnconfirmed: boolean }> {
  const { confirmed, received } = evaluate(payment, await readTransfers(tx, [payment.id]));
  const pending = (await readPendingRefunds(tx, [payment.id])).get(payment.id) ?? '0';
  return {
    left: subtract(confirmed, add(payment.amount_refunded, pending)),
    isUnconfirmed: compare(confirmed, received) < 0,
  };
}

function checkAllowed(
  { status, pay_currency }: Payment,
  asked: string | undefined,
  left: string,
  isUnconfirmed: boolean,
): void {
  const refuse = (message: string) => new ApiError('refund_not_allowed', { message });
  const allowsPart = isRefundableInPart(status);
  if (!isRefundable(status)) throw refuse(`A payment that is ${status} cannot be refunded.`);
  const isPart = asked !== undefined && allowsPart;
  if (compare(left, '0') <= 0 && !isPart) throw refuse('No confirmed money is left to refund.');
  // REFUNDED is final: money that confirms afterwards could not be refunded.
  if (isUnconfirmed && !allowsPart)
    throw refuse(`A payment that is ${status} can be refunded when all of its money has confirmed.`);
  if (asked === undefined) return;
  if (compare(asked, left) > 0)
    throw new ValidationError(
      'amount',
      'maximum',
      `must not be more than what is left to refund, ${left} ${pay_currency}`,
    );
  if (compare(asked, left) < 0 && !isPart)
    throw refuse(`A payment that is ${status} can only be refunded in full.`);
}

function toResource(refund: Refund): RefundResource {
  const { id, payment_id, amount, currency, status, created_at } = refund;
  return { id, payment_id, amount, currency, status, created_at: created_at.toISOString() };
}
