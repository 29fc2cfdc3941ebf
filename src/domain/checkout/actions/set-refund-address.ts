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
 * Saves the address to which the customer of the payment behind `token` wants money back. Returns
 * `invalidFor` with the payment when `input` is no address on its settlement network; `closed` when the
 * payment has an address, or no money goes back.
 */
export async function setRefundAddressByToken(
  ctx: Context,
  { chain }: Pick<PaymentAdapters, 'chain'>,
  token: string,
  input: unknown,
): Promise<'saved' | 'closed' | 'missing' | { invalidFor: CheckoutPayment }> {
  const found = await findByToken(ctx.db, token);
  if (found === null) return 'missing';
  const address = parseRefundAddress(chain(ctx), found, input);
  const isSaved =
    address !== null &&
    (await ctx.db.transaction(async (tx) => {
      const [payment] = await lockPayments(tx, [found.id]);
      return payment !== undefined && setRefundAddress(tx, payment, address);
    }));
  if (isSaved) return 'saved';
  return address === null && found.refund_address === null && hasReturnableMoney(found)
    ? { invalidFor: found }
    : 'closed';
}
