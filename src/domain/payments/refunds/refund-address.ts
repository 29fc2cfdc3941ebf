import { isAddress } from '../../chain/addresses.ts';
import { NETWORK_IDS } from '../../chain/networks.ts';
import type { ChainClient } from '../../chain/port.ts';
import { run, sql, type Tx } from '../../../platform/postgres/db.ts';
import { compare, subtract } from '../../../platform/values/money.ts';
import type { Payment } from '../lifecycle/payment.ts';
import { isRefundable, paysForOrder } from '../lifecycle/states.ts';

/** Longer than any address; longer text is refused without parsing. */
const MAX_ADDRESS_LENGTH = 128;

/**
 * True while the payment has money that does not pay for it (too late, too little, too much) and may be
 * refunded.
 */
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
 * Stores the customer's refund address, on pay_network, because refunds are in pay_currency. The caller has
 * locked the row. The address can be stored only once: a later visitor of the page cannot divert the money.
 * Returns false when an address is stored already, or there is no money to refund.
 */
export async function setRefundAddress(tx: Tx, payment: Payment, address: string): Promise<boolean> {
  if (!hasReturnableMoney(payment)) return false;
  return (await run(tx, updateRefundAddress, { id: payment.id, address })).length > 0;
}

/**
 * Parses typed text as an address on the payment's settlement network. Returns null when it is not one, or is
 * one of the payment's own deposit addresses, which the page shows beside the field.
 */
export function parseRefundAddress(chain: ChainClient, payment: Payment, typed: unknown): string | null {
  if (typeof typed !== 'string' || typed.length > MAX_ADDRESS_LENGTH) return null;
  const address = typed.trim();
  if (!isAddress(payment.pay_network, address)) return null;
  // On every network: Ethereum and Polygon share an address format.
  const own = NETWORK_IDS.map((network) => chain.depositAddress(network, payment.id).toLowerCase());
  return own.includes(address.toLowerCase()) ? null : address;
}
