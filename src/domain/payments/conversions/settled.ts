import { asWritten, compare, sum } from '../../../platform/values/money.ts';
import type { Payment } from '../lifecycle/payment.ts';
import { converts, modeOf } from '../lifecycle/settlement.ts';
import type { Changes } from '../lifecycle/transition.ts';
import { convertedCredit } from '../transfers/credit.ts';
import { isConfirmed, type PaymentTransfer } from '../transfers/payment-transfer.ts';

/** True for confirmed money that a conversion has taken: it is settled, or about to be. */
export const takesCoins = (transfer: PaymentTransfer): boolean =>
  isConfirmed(transfer) && compare(transfer.converted, '0') > 0;

/**
 * Returns what a payment that becomes SETTLED says of its settlement: the settlement coin where the mode
 * converts, else the coin that came, and no coin where several did: no sum of them is an amount of anything.
 */
export function settledBy(
  payment: Payment,
  transfers: readonly PaymentTransfer[],
): Pick<Changes, 'settlement_mode' | 'settlement_coin' | 'settlement_network' | 'settlement_amount'> {
  const settled = transfers.filter(takesCoins);
  if (converts(payment))
    return { settlement_amount: asWritten(sum(settled.map(convertedCredit)), payment.pay_amount) };
  const coin = only(settled.map((transfer) => transfer.coin));
  const network = only(settled.map((transfer) => transfer.network));
  const written = coin === payment.coin ? payment.crypto_amount : payment.pay_amount;
  const amount = coin === null ? null : asWritten(sum(settled.map(({ converted }) => converted)), written);
  return {
    settlement_mode: modeOf(payment, { coin, network }),
    settlement_coin: coin,
    settlement_network: network,
    settlement_amount: amount,
  };
}

/** Returns the value of all; null: they differ. */
function only<T>(values: readonly T[]): T | null {
  const [first] = values;
  return first !== undefined && values.every((value) => value === first) ? first : null;
}
