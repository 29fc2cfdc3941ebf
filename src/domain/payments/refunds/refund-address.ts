import { isAddress } from '../../chain/addresses.ts';
import { NETWORK_IDS } from '../../chain/networks.ts';
import type { ChainClient } from '../../chain/port.ts';
import { run, sql, type Tx } from '../../../platform/postgres/db.ts';
import { compare, subtract } from '../../../platform/values/money.ts';
import type { Payment } from '../lifecycle/payment.ts';
import { isRefundable, paysForOrder } from '../lifecycle/states.ts';

/** Longer than any network's addresses: longer text is refused unread. */
const MAX_ADDRESS_LENGTH = 128;

/** True while the customer's money is there that pays for nothing, because it came too late, too little or too much, so it may go back. */
export function hasReturnableMoney(payment: Payment): boolean {
  const { status, pay_amount } = payment;
  const left = subtract(payment.amount_received, payment.amount_refunded);
  if (paysForOrder(status)) return compare(left, pay_amount) > 0;
  return isRefundable(status) && compare(left, '0') > 0;
}

const updateRefundAddress = sql<{ id: string }, { id: string; address: string }>(
  'set_refund_address',
  (p) => `
    UPDATE payments SET refund_address = ${p.address}
    WHERE id = ${p.id} AND refund_address IS NULL
    RETURNING id`,
);

/**
 * Stores where the payment's customer wants refunds, on pay_network, for refunds are in pay_currency. The caller has locked the row. Once
 * and for good: whoever finds the link later cannot divert the money. False where an address is stored already, or no money goes back.
 */
export async function setRefundAddress(tx: Tx, payment: Payment, address: string): Promise<boolean> {
  if (!hasReturnableMoney(payment)) return false;
  return (await run(tx, updateRefundAddress, { id: payment.id, address })).length > 0;
}

/**
 * What a person typed, as an address on the payment's settlement network; null where it is none, or is one of the payment's own deposit
 * addresses, which are on the screen when the page asks.
 */
export function parseRefundAddress(chain: ChainClient, payment: Payment, typed: unknown): string | null {
  if (typeof typed !== 'string' || typed.length > MAX_ADDRESS_LENGTH) return null;
  const address = typed.trim();
  if (!isAddress(payment.pay_network, address)) return null;
  // On every network: Ethereum's and Polygon's addresses look alike.
  const own = NETWORK_IDS.map((network) => chain.depositAddress(network, payment.id).toLowerCase());
  return own.includes(address.toLowerCase()) ? null : address;
}
