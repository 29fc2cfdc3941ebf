import type { RateSource } from '../../../chain/rates/rates.ts';
import type { Context } from '../../../../platform/context.ts';
import type { Tx } from '../../../../platform/postgres/db.ts';
import { compare, multiply, sum } from '../../../../platform/values/money.ts';
import type { Payment } from '../../lifecycle/payment.ts';
import { readRefunds } from '../store.ts';

/** US dollars. What a stolen session could send away of each payment without the second factor. */
const LARGE_USD = '500';

/**
 * Whether the refunds of a payment, those of this transaction included, are worth more than a person may send
 * without a fresh second factor. All of them together: else a large one would be sent in parts. So is what
 * has no price now.
 */
export async function isLarge(
  ctx: Pick<Context, 'now'>,
  tx: Tx,
  rates: RateSource,
  { id, merchant_id, pay_currency }: Payment,
): Promise<boolean> {
  const marketOf = await rates(tx, [merchant_id], ctx.now());
  const price = marketOf(merchant_id).get(pay_currency);
  if (price === undefined) return true;
  const refunds = await readRefunds(tx, id);
  return compare(multiply(sum(refunds.map(({ amount }) => amount)), price.usd), LARGE_USD) > 0;
}
