import { chainOf } from '../chain/chain.ts';
import { COINS_ON_NETWORKS } from '../chain/coins.ts';
import { ratesOf } from '../chain/rates.ts';
import { chooseCoin } from '../payments/choose-coin.ts';
import { isPriceOpen } from '../payments/quotes.ts';
import { inWorldOf } from '../payments/world.ts';
import { lockPayments } from '../payments/store.ts';
import type { Context } from '../../platform/context.ts';
import { findByToken } from './store.ts';

export type Choice = 'chosen' | 'missing' | 'badChoice' | 'closed';

/**
 * Makes the payment that `token` opens payable in `coin` on `network`, by a customer's wish: whatever was sent. Whoever has the token may
 * choose; nothing else is asked of him. Money that is seen at the same instant is decided by the row's lock.
 */
export async function chooseByToken(
  ctx: Context,
  token: string,
  coin: unknown,
  network: unknown,
): Promise<Choice> {
  const found = await findByToken(ctx.db, token);
  if (found === null) return 'missing';
  const pair = COINS_ON_NETWORKS.find((known) => known.coin === coin && known.network === network);
  if (pair === undefined) return 'badChoice';
  const rates = await ratesOf(ctx);
  return ctx.db.transaction(async (tx): Promise<Choice> => {
    const [payment] = await lockPayments(tx, [found.id]);
    if (payment === undefined) return 'missing';
    const world = inWorldOf(ctx, payment);
    const now = world.now();
    if (!isPriceOpen(payment, now)) return 'closed';
    await chooseCoin(tx, payment, { ...pair, chain: chainOf(world), rates }, now);
    return 'chosen';
  });
}
