import { setRefundAddress, parseRefundAddress } from '../../payments/refunds/refund-address.ts';
import { lockPayments } from '../../payments/lifecycle/store.ts';
import { adaptersOf, type AdaptersByMode } from '../../payments/lifecycle/ports.ts';
import type { Context } from '../../../platform/context.ts';
import { withTestClockOf } from '../../payments/lifecycle/test-clock.ts';
import { toConfirm, type EnteredAddress } from '../components/refund.ts';
import { canAskForAddress } from '../view/going-back.ts';
import { viewOf } from '../view/view.ts';
import { findByToken, type CheckoutPayment } from '../view/store.ts';

/** What the page's forms send, unchecked. */
export interface AddressForm {
  readonly address?: unknown;
  /** What the page showed in the second step: what `toConfirm` returned then. */
  readonly confirmed?: unknown;
  /** The customer wants to change what they entered. */
  readonly change?: unknown;
}

/**
 * Saves the address to which the customer of the payment behind `token` wants money back, once they have
 * confirmed it beside the amount and the network that the page shows now. Returns what the page asks next,
 * with the payment: for another address where it is none on the network on which money goes back, or to
 * confirm it; `closed` when an address was saved, or no money goes back.
 */
export async function setRefundAddressByToken(
  ctx: Context,
  adapters: AdaptersByMode,
  token: string,
  { address: input, confirmed, change }: AddressForm,
): Promise<'saved' | 'closed' | 'missing' | { entered: EnteredAddress; payment: CheckoutPayment }> {
  const found = await findByToken(ctx.db, token);
  if (found === null) return 'missing';
  if (!canAskForAddress(found)) return 'closed';
  const { refund_network: network } = found;
  const own = adaptersOf(adapters, found.merchant_mode);
  const rules = { ...own, addresses: await own.addresses.of(ctx, found) };
  const address = parseRefundAddress(rules, found, network, input);
  const ask = (step: EnteredAddress['step'], text: unknown, payment = found) => ({
    entered: { step, address: typeof text === 'string' ? text : '' },
    payment,
  });
  if (change !== undefined) return ask('changed', input);
  if (address === null) return ask('refused', input);
  const isConfirmed = (payment: CheckoutPayment) =>
    confirmed === toConfirm(viewOf(payment, withTestClockOf(ctx, payment).now()));
  if (!isConfirmed(found)) return ask('confirm', address);
  return ctx.db.transaction(async (tx) => {
    const [payment] = await lockPayments(tx, [found.id]);
    // What the page showed may have changed while this waited: more money came, or the refund was sent.
    const current = await findByToken(tx, token);
    if (payment === undefined || current === null) return 'closed';
    if (!canAskForAddress(current) || current.refund_network !== network) return 'closed';
    if (!isConfirmed(current)) return ask('confirm', address, current);
    const now = withTestClockOf(ctx, payment).now();
    return (await setRefundAddress(tx, payment, { network, address }, now)) ? 'saved' : 'closed';
  });
}
