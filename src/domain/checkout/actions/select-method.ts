import { COINS_ON_NETWORKS } from '../../chain/coins.ts';
import type { PaymentAdapters } from '../../payments/lifecycle/ports.ts';
import { selectPaymentMethod } from '../../payments/pricing/select-method.ts';
import { canRequote } from '../../payments/pricing/quotes.ts';
import { withTestClockOf } from '../../payments/lifecycle/test-clock.ts';
import { lockPayments } from '../../payments/lifecycle/store.ts';
import type { Context } from '../../../platform/context.ts';
import { findByToken } from '../view/store.ts';

export type SelectionResult = 'chosen' | 'missing' | 'badChoice' | 'closed';

/**
 * Makes the payment that `token` opens payable in `coin` on `network`, by a customer's wish: whatever was sent. Whoever has the token may
 * choose; nothing else is asked of him. Money that is seen at the same instant is decided by the row's lock.
 */
export async function selectMethodByToken(
  ctx: Context,
  adapters: Pick<PaymentAdapters, 'chain' | 'rates'>,
  token: string,
  coin: unknown,
  network: unknown,
): Promise<SelectionResult> {
  const found = await findByToken(ctx.db, token);
  if (found === null) return 'missing';
  const pair = COINS_ON_NETWORKS.find((known) => known.coin === coin && known.network === network);
  if (pair === undefined) return 'badChoice';
  const rates = await adapters.rates();
  return ctx.db.transaction(async (tx): Promise<SelectionResult> => {
    const [payment] = await lockPayments(tx, [found.id]);
    if (payment === undefined) return 'missing';
    const clocked = withTestClockOf(ctx, payment);
    const now = clocked.now();
    if (!canRequote(payment, now)) return 'closed';
    await selectPaymentMethod(tx, payment, { ...pair, chain: adapters.chain(clocked), rates }, now);
    return 'chosen';
  });
}
