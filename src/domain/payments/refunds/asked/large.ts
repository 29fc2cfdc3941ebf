import type { RateSource } from '../../../chain/rates/rates.ts';
import type { Context } from '../../../../platform/context.ts';
import type { Connection } from '../../../../platform/postgres/db.ts';
import { compare, multiply, sum } from '../../../../platform/values/money.ts';
import type { Payment } from '../../lifecycle/payment.ts';
import type { Refund } from '../store.ts';

/** US dollars. What a stolen session could send away of each payment without the second factor. */
const LARGE_USD = '500';

/**
 * Whether refunds of a payment are worth more than a person may send without a fresh second factor. All that
 * it ever had together: else a large one would be sent in parts. So is what has no price now.
 */
export async function isLarge(
  ctx: Pick<Context, 'now'>,
  connection: Connection,
  rates: RateSource,
  { merchant_id, pay_currency }: Payment,
  refunds: readonly Refund[],
): Promise<boolean> {
  const marketOf = await rates(connection, [merchant_id], ctx.now());
  const price = marketOf(merchant_id).get(pay_currency);
  if (price === undefined) return true;
  return compare(multiply(sum(refunds.map(({ amount }) => amount)), price.usd), LARGE_USD) > 0;
}
