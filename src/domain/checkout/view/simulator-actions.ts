import { roundToUnits } from '../../chain/coins.ts';
import { dependsOnChain, isOpen } from '../../payments/lifecycle/states.ts';
import { compare, isZero, multiply, writtenLike } from '../../../platform/values/money.ts';
import type { View } from './view.ts';

/** What the simulated customer can do. */
export const SIMULATOR_ACTIONS = ['pay', 'half', 'double', 'replace', 'expire'] as const;
export type SimulatorAction = (typeof SIMULATOR_ACTIONS)[number];

/** The actions that make sense for a payment as its page shows it now. */
export function availableActions(view: View): SimulatorAction[] {
  const { payment, confirmations, requiredConfirmations } = view;
  const applies: Readonly<Record<SimulatorAction, boolean>> = {
    pay: amountOf(view, 'pay') !== null,
    half: amountOf(view, 'half') !== null,
    double: amountOf(view, 'double') !== null,
    // `confirmations` are those of the transfer that needs longest.
    replace:
      dependsOnChain(payment.status) &&
      !isZero(payment.amount_received) &&
      confirmations < requiredConfirmations,
    expire: isOpen(payment.status) && !payment.fully_funded,
  };
  return SIMULATOR_ACTIONS.filter((action) => applies[action]);
}

/**
 * What an action sends, in the payment's coin: exactly what the page asks for, half of it, or twice as much.
 * Null when it sends nothing: half of the coin's smallest unit is nothing.
 */
export function amountOf(
  { payment: { coin, network }, toSend }: View,
  action: SimulatorAction,
): string | null {
  if (toSend === null) return null;
  const amounts: Partial<Record<SimulatorAction, (asked: string) => string>> = {
    pay: (asked) => asked,
    half: (asked) => roundToUnits(multiply(asked, '0.5'), coin, network, 'down'),
    double: (asked) => multiply(asked, '2'),
  };
  const amount = amounts[action]?.(toSend);
  return amount === undefined || compare(amount, '0') <= 0 ? null : writtenLike(amount, toSend);
}
