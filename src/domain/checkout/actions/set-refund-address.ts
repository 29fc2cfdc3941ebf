import { setRefundAddress, parseRefundAddress } from '../../payments/refunds/refund-address.ts';
import { lockPayments } from '../../payments/lifecycle/store.ts';
import { adaptersOf, type AdaptersByMode } from '../../payments/lifecycle/ports.ts';
import type { Context } from '../../../platform/context.ts';
import { withTestClockOf } from '../../payments/lifecycle/test-clock.ts';
import { canAskForAddress } from '../view/view.ts';
import { findByToken, type CheckoutPayment } from '../view/store.ts';

/**
 * Saves the address to which the customer of the payment behind `token` wants money back. Returns
 * `invalidFor` with the payment when `input` is no address on the network on which money goes back; `closed`
 * when the customer has said it, or no money goes back.
 */
export async function setRefundAddressByToken(
  ctx: Context,
  adapters: AdaptersByMode,
  token: string,
  input: unknown,
): Promise<'saved' | 'closed' | 'missing' | { invalidFor: CheckoutPayment }> {
  const found = await findByToken(ctx.db, token);
  if (found === null) return 'missing';
  const { refund_network: network } = found;
  const { chain, networks, isSimulated } = adaptersOf(adapters, found.merchant_mode);
  const rules = { chain: chain(ctx), networks, isSimulated };
  const address = parseRefundAddress(rules, found, network, input);
  if (!canAskForAddress(found)) return 'closed';
  if (address === null) return { invalidFor: found };
  const isSaved = await ctx.db.transaction(async (tx) => {
    const [payment] = await lockPayments(tx, [found.id]);
    // What the page showed may have changed while this waited: more money came, or the refund was sent.
    const current = await findByToken(tx, token);
    if (payment === undefined || current === null) return false;
    if (!canAskForAddress(current) || current.refund_network !== network) return false;
    return setRefundAddress(tx, payment, { network, address }, withTestClockOf(ctx, payment).now());
  });
  return isSaved ? 'saved' : 'closed';
}
