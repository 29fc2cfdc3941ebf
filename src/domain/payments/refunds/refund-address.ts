import { chainOf } from '../../chain/chain.ts';
import { isAddress } from '../../chain/addresses.ts';
import { NETWORK_IDS } from '../../chain/networks.ts';
import type { Context } from '../../../platform/context.ts';
import { run, sql, type Tx } from '../../../platform/postgres/db.ts';
import { compare, subtract } from '../../../platform/values/money.ts';
import type { Payment } from '../lifecycle/payment.ts';
import { allows } from '../lifecycle/states.ts';

/** Longer than any network's addresses: what is longer is not even looked at. */
const MAX_ADDRESS_LENGTH = 128;

/** True while money of the customer's is there that pays for nothing, because it came too late, too little or too much, so it may go back. */
export function hasReturnableMoney(payment: Payment): boolean {
  const { status, pay_amount } = payment;
  const left = subtract(payment.amount_received, payment.amount_refunded);
  const isPaidFor =
    allows(status, 'refunded_in_part') || allows(status, 'settled') || allows(status, 'confirmed_in_full');
  if (isPaidFor) return compare(left, pay_amount) > 0;
  return allows(status, 'refunded_in_full') && compare(left, '0') > 0;
}

const updateRefundAddress = sql<{ id: string }>(
  'set_refund_address',
  `UPDATE payments SET refund_address = $2 WHERE id = $1 AND refund_address IS NULL RETURNING id`,
);

/**
 * Keeps with the payment, whose row the caller holds, where its customer wants money back: on pay_network, for refunds are in
 * pay_currency. Once and for good: whoever finds the link later cannot turn the money to himself. False where one is kept already, or
 * no money goes back.
 */
export async function setRefundAddress(tx: Tx, payment: Payment, address: string): Promise<boolean> {
  return (
    hasReturnableMoney(payment) && (await run(tx, updateRefundAddress, [payment.id, address])).length > 0
  );
}

/**
 * What a person typed, as the address that it is on the payment's settlement network; null where it is none, or is one of the payment's
 * own deposit addresses, which are at hand when the page asks.
 */
export function parseRefundAddress(
  ctx: Pick<Context, 'db' | 'config' | 'testClock'>,
  payment: Payment,
  typed: unknown,
): string | null {
  if (typeof typed !== 'string' || typed.length > MAX_ADDRESS_LENGTH) return null;
  const address = typed.trim();
  if (!isAddress(payment.pay_network, address)) return null;
  const chain = chainOf(ctx);
  // On every network: Ethereum's and Polygon's addresses look alike.
  const own = NETWORK_IDS.map((network) => chain.depositAddress(network, payment.id).toLowerCase());
  return own.includes(address.toLowerCase()) ? null : address;
}
