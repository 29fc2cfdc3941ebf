import { COINS_ON_NETWORKS } from '../../chain/coins.ts';
import { RateUnavailable } from '../../chain/rates/rates.ts';
import { adaptersOf, type AdaptersByMode } from '../../payments/lifecycle/ports.ts';
import { readPrices } from '../../payments/pricing/market.ts';
import { selectPaymentMethod } from '../../payments/pricing/select-method.ts';
import { canSelectMethod } from '../../payments/pricing/quotes.ts';
import { withTestClockOf } from '../../payments/lifecycle/test-clock.ts';
import { lockPayments } from '../../payments/lifecycle/store.ts';
import { readTransfers } from '../../payments/transfers/store.ts';
import type { Context } from '../../../platform/context.ts';
import type { Tx } from '../../../platform/postgres/db.ts';
import { faultOf } from '../../../platform/logging/reasons.ts';
import { appearanceOf, isOffered } from '../view/appearance.ts';
import { findByToken, type CheckoutPayment } from '../view/store.ts';
import { viewOf } from '../view/view.ts';

export type SelectionResult = 'selected' | 'missing' | 'badMethod' | 'closed' | 'noRate';

/**
 * Selects a payment method for the payment that `token` opens: `coin` and `network` are the customer's input,
 * unchecked. The token is all the permission that it needs. A transfer that is seen at the same instant waits
 * for the row's lock, or wins it.
 */
export async function selectMethodByToken(
  ctx: Context,
  adapters: AdaptersByMode,
  token: string,
  coin: unknown,
  network: unknown,
): Promise<SelectionResult> {
  const found = await findByToken(ctx.db, token);
  if (found === null) return 'missing';
  const own = adaptersOf(adapters, found.merchant_mode);
  const pair = COINS_ON_NETWORKS.find((known) => known.coin === coin && known.network === network);
  if (pair === undefined || !own.networks.includes(pair.network)) return 'badMethod';
  if (!isOffered(appearanceOf(found), pair)) return 'badMethod';
  // An address is taken for a method that can still be chosen, and not for whoever asks again and again.
  if (!canSelectMethod(found, withTestClockOf(ctx, found).now())) return 'closed';
  const pricesOf = await readPrices(ctx.db, own.rates, [found.merchant_id], ctx.now());
  const addresses = await own.addresses.of(ctx, found, pair);
  let taken: string | null = null;
  const select = async (tx: Tx): Promise<SelectionResult> => {
    const [payment] = await lockPayments(tx, [found.id]);
    if (payment === undefined) return 'missing';
    const clocked = withTestClockOf(ctx, payment);
    const now = clocked.now();
    if (!canSelectMethod(payment, now)) return 'closed';
    const transfers = await readTransfers(tx, [payment.id]);
    const offer = { ...pair, addresses, prices: pricesOf(payment) };
    taken = (await selectPaymentMethod(tx, { payment, transfers }, offer, now)).address;
    return 'selected';
  };
  const result = await ctx.db.transaction(select).catch((error: unknown): SelectionResult => {
    if (error instanceof RateUnavailable) return 'noRate';
    throw error;
  });
  // Of two requests that come at once, the address of the first is the payment's.
  if (taken !== addresses.derive(pair.network, found, pair.coin)) await addresses.giveBack?.();
  return result;
}

/**
 * Selects the only method that a merchant offers, where the payment does not have it: there is nothing to ask
 * a customer who opens the page. True: it was selected. Without rates the page shows its one button.
 */
export async function selectOnlyMethod(
  ctx: Context,
  adapters: AdaptersByMode,
  payment: CheckoutPayment,
): Promise<boolean> {
  const view = viewOf(payment, withTestClockOf(ctx, payment).now());
  const [only, ...others] = view.appearance.methods ?? [];
  if (!view.mustChoose || only === undefined || others.length > 0) return false;
  try {
    const { coin, network } = only;
    return (await selectMethodByToken(ctx, adapters, payment.token_id, coin, network)) === 'selected';
  } catch (error) {
    ctx.log.warn('the only method of a payment was not selected: its page asks for it', {
      payment_id: payment.id,
      ...faultOf(error),
    });
    return false;
  }
}
