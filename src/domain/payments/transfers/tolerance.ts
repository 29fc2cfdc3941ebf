import { dustOf, quoteUnit, type CoinId } from '../../chain/coins.ts';
import type { NetworkId } from '../../chain/networks.ts';
import { groupBy } from '../../../platform/postgres/db.ts';
import { compare, divide, max, min, multiply, sum } from '../../../platform/values/money.ts';
import type { Payment } from '../lifecycle/payment.ts';
import { isConfirmed, type PaymentTransfer } from './payment-transfer.ts';

const DECIMALS = 18;
/** Without this bound one smallest unit would pay a price that is near the coin's dust limit. */
const DUST_COUNTS_UP_TO_PERCENT = '1';

/**
 * Returns the difference from the price, in pay_currency, below which a payment is neither under- nor
 * overpaid (contract, "Money"): the unit in which its coins are quoted, or their dust limit. Nobody can send
 * the one, and it does not pay to send the other. Of the coins that came only those lend it of which more
 * than dust has confirmed: a unit in the pool, which costs nothing, would settle what is underpaid.
 */
export function toleranceOf(
  payment: Pick<Payment, 'pay_amount' | 'pay_currency' | 'pay_network'>,
  transfers: readonly PaymentTransfer[],
): string {
  const { pay_amount, pay_currency, pay_network } = payment;
  const cap = divide(multiply(pay_amount, DUST_COUNTS_UP_TO_PERCENT), '100', DECIMALS, 'down');
  const among = (coin: CoinId, network: NetworkId, amount: string, credit: string) => {
    // At par, as most money is, nothing needs to be divided.
    const worth = (coins: string) =>
      amount === credit ? coins : divide(multiply(coins, credit), amount, DECIMALS, 'up');
    return max(worth(quoteUnit(coin, network)), min(worth(dustOf(coin, network)), cap));
  };
  const lending = aboveDust(transfers.filter((one) => isConfirmed(one) && compare(one.credit, '0') > 0));
  return lending
    .map(({ coin, network, amount, credit }) => among(coin, network, amount, credit))
    .reduce(max, among(pay_currency, pay_network, '1', '1'));
}

/** Returns the transfers in coins of which, on their network, more than the dust limit came. */
function aboveDust(transfers: readonly PaymentTransfer[]): PaymentTransfer[] {
  const groups = groupBy(transfers, ({ coin, network }) => `${coin} ${network}`);
  return [...groups.values()].flatMap((group) => {
    const { coin, network } = group[0] ?? {};
    if (coin === undefined || network === undefined) return [];
    return compare(sum(group.map(({ amount }) => amount)), dustOf(coin, network)) > 0 ? group : [];
  });
}
