import { dustOf, quoteUnit, type CoinId } from '../../chain/coins.ts';
import type { NetworkId } from '../../chain/networks.ts';
import { compare, divide, max, min, multiply } from '../../../platform/values/money.ts';
import type { Payment } from '../lifecycle/payment.ts';
import type { PaymentTransfer } from './payment-transfer.ts';

const DECIMALS = 18;
/** Without this bound one smallest unit would pay a price that is near the coin's dust limit. */
const DUST_COUNTS_UP_TO_PERCENT = '1';

/**
 * Returns the difference from the price, in pay_currency, below which a payment is neither under- nor
 * overpaid (contract, "Money"): the unit in which its coins are quoted, or their dust limit. Nobody can send
 * the one, and it does not pay to send the other.
 */
export function toleranceOf(
  payment: Pick<Payment, 'pay_amount' | 'pay_currency' | 'pay_network'>,
  standing: readonly PaymentTransfer[],
): string {
  const { pay_amount, pay_currency, pay_network } = payment;
  const cap = divide(multiply(pay_amount, DUST_COUNTS_UP_TO_PERCENT), '100', DECIMALS, 'down');
  const among = (coin: CoinId, network: NetworkId, amount: string, credit: string) => {
    // At par, as most money is, nothing needs to be divided.
    const worth = (coins: string) =>
      amount === credit ? coins : divide(multiply(coins, credit), amount, DECIMALS, 'up');
    return max(worth(quoteUnit(coin, network)), min(worth(dustOf(coin, network)), cap));
  };
  return standing
    .filter(({ credit }) => compare(credit, '0') > 0)
    .map(({ coin, network, amount, credit }) => among(coin, network, amount, credit))
    .reduce(max, among(pay_currency, pay_network, '1', '1'));
}
