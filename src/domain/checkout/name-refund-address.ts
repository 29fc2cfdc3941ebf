import { hasMoneyToReturn, keepRefundAddress, refundAddressOf } from '../payments/refund-address.ts';
import { lockPayments } from '../payments/store.ts';
import type { Context } from '../../platform/context.ts';
import { findByToken, type CheckoutPayment } from './store.ts';

/**
 * Keeps the address that the customer of the payment behind `token` typed for money that goes back. Answers the payment where it is
 * no address on its settlement network; `closed` where one is kept already, or no money goes back; `missing` for an unknown token.
 */
export async function nameRefundAddress(
  ctx: Context,
  token: string,
  typed: unknown,
): Promise<'kept' | 'closed' | 'missing' | { badFor: CheckoutPayment }> {
  const found = await findByToken(ctx.db, token);
  if (found === null) return 'missing';
  const address = refundAddressOf(ctx, found, typed);
  const isKept =
    address !== null &&
    (await ctx.db.transaction(async (tx) => {
      const [payment] = await lockPayments(tx, [found.id]);
      return payment !== undefined && keepRefundAddress(tx, payment, address);
    }));
  if (isKept) return 'kept';
  return address === null && found.refund_address === null && hasMoneyToReturn(found)
    ? { badFor: found }
    : 'closed';
}
