import {
  hasReturnableMoney,
  setRefundAddress,
  parseRefundAddress,
} from '../../payments/refunds/refund-address.ts';
import { lockPayments } from '../../payments/lifecycle/store.ts';
import type { PaymentAdapters } from '../../payments/lifecycle/ports.ts';
import type { Context } from '../../../platform/context.ts';
import { findByToken, type CheckoutPayment } from '../view/store.ts';

/**
 * Keeps the address that the customer of the payment behind `token` typed for money that goes back. Answers the payment where it is
 * no address on its settlement network; `closed` where one is kept already, or no money goes back; `missing` for an unknown token.
 */
export async function setRefundAddressByToken(
  ctx: Context,
  { chain }: Pick<PaymentAdapters, 'chain'>,
  token: string,
  typed: unknown,
): Promise<'kept' | 'closed' | 'missing' | { badFor: CheckoutPayment }> {
  const found = await findByToken(ctx.db, token);
  if (found === null) return 'missing';
  const address = parseRefundAddress(chain(ctx), found, typed);
  const isKept =
    address !== null &&
    (await ctx.db.transaction(async (tx) => {
      const [payment] = await lockPayments(tx, [found.id]);
      return payment !== undefined && setRefundAddress(tx, payment, address);
    }));
  if (isKept) return 'kept';
  return address === null && found.refund_address === null && hasReturnableMoney(found)
    ? { badFor: found }
    : 'closed';
}
