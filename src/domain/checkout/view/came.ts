import { dustOf } from '../../chain/coins.ts';
import { groupBy } from '../../../platform/postgres/db.ts';
import { compare, sum, writtenLike } from '../../../platform/values/money.ts';
import { MAX_SHOWN, type CheckoutPayment, type ShownTransfer } from './store.ts';

/**
 * What came for a payment and can go back, each coin with its amount: "47.00 USDC". Coins go back as they
 * came, and what is dust on its network stays. Of more transfers than the page reads it is their worth.
 */
export function whatCanGoBack(payment: CheckoutPayment): string[] {
  const { transfers, amount_received, pay_amount, pay_currency } = payment;
  const written = (amount: string, coin: string) => `${writtenLike(amount, pay_amount)} ${coin}`;
  if (transfers.length === 0 || transfers.length >= MAX_SHOWN)
    return [written(amount_received, pay_currency)];
  const byMethod = groupBy(transfers, ({ coin, network }) => `${coin} ${network}`);
  const byCoin = groupBy([...byMethod.values()].filter(isSendable).flat(), ({ coin }) => coin);
  return [...byCoin].map(([coin, group]) => written(amountOf(group), coin));
}

const amountOf = (group: readonly ShownTransfer[]): string => sum(group.map(({ amount }) => amount));

function isSendable(group: readonly ShownTransfer[]): boolean {
  const [first] = group;
  return first !== undefined && compare(amountOf(group), dustOf(first.coin, first.network)) > 0;
}
