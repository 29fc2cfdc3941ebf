import { isAddress } from '../../chain/addresses.ts';
import { COINS_ON_NETWORKS, tokenContract } from '../../chain/coins.ts';
import type { AddressBook } from '../../chain/wallets/address-book.ts';
import type { NetworkId } from '../../chain/networks.ts';
import { schedule } from '../../schedule/store.ts';
import { runOne, sql, type Tx } from '../../../platform/postgres/db.ts';
import { compare, subtract } from '../../../platform/values/money.ts';
import { tellRefundAddress } from '../lifecycle/jobs.ts';
import { testClockOf, type Payment } from '../lifecycle/payment.ts';
import type { PaymentAdapters } from '../lifecycle/ports.ts';
import { isRefundable, paysForOrder } from '../lifecycle/states.ts';
import { schedulePayouts } from './accept.ts';
import { MAX_ADDRESS_LENGTH } from './schemas.ts';
import { setAddressOfRefunds } from './store.ts';

/**
 * True while the payment has money that does not pay for it (too late, too little, too much) and may be
 * refunded.
 */
export function hasReturnableMoney(payment: Payment): boolean {
  const { status, exceptions, amount_received, amount_refunded, pay_amount } = payment;
  const left = subtract(amount_received, amount_refunded);
  if (paysForOrder(status)) return exceptions.includes('overpaid') && compare(left, pay_amount) > 0;
  return isRefundable(status) && compare(left, '0') > 0;
}

/** SQL: by which the mail about an address is scheduled; an address that is given again has another. */
export const ADDRESS_KEY =
  "payment_id || '.' || network || '.' || (extract(epoch FROM given_at) * 1000)::bigint";

const insertRefundAddress = sql<
  { key: string },
  { paymentId: string; network: NetworkId; address: string; now: Date }
>(
  'set_refund_address',
  (p) => `
    INSERT INTO refund_addresses (payment_id, network, address, given_at)
    VALUES (${p.paymentId}, ${p.network}, ${p.address}, ${p.now})
    ON CONFLICT DO NOTHING
    RETURNING ${ADDRESS_KEY} AS key`,
);

/**
 * Stores the customer's address for refunds on a network, schedules the mail that tells them so, and sends
 * the refunds that wait for one there. The caller has locked the payment. An address can be stored only once
 * per network: a later visitor of the page cannot divert the money, and only the merchant can clear it.
 * Returns false when one is stored already.
 */
export async function setRefundAddress(
  tx: Tx,
  payment: Payment,
  { network, address }: { network: NetworkId; address: string },
  now: Date,
): Promise<boolean> {
  const stored = await runOne(tx, insertRefundAddress, { paymentId: payment.id, network, address, now });
  if (stored === null) return false;
  const testClock = testClockOf(payment);
  await schedule(tx, [{ job: tellRefundAddress, key: stored.key, runAt: now, testClock }]);
  const ids = await setAddressOfRefunds(tx, payment.id, network, address);
  await schedulePayouts(tx, payment, ids, now);
  return true;
}

/** What decides whether an address can take a payment's money. */
export interface RefundAddressRules extends Pick<PaymentAdapters, 'networks' | 'chains'> {
  /** Of the payment. */
  readonly addresses: AddressBook;
}

/**
 * Parses typed text as an address on `network`. Returns null when it is not one, is one of the payment's own
 * deposit addresses, which the page shows beside the field, or a token's contract.
 */
export function parseRefundAddress(
  rules: RefundAddressRules,
  payment: Payment,
  network: NetworkId,
  typed: unknown,
): string | null {
  if (typeof typed !== 'string' || typed.length > MAX_ADDRESS_LENGTH) return null;
  const address = typed.trim();
  return isForeignAddress(rules, payment, network, address) ? address : null;
}

/**
 * True for an address on `network` that is no deposit address of the payment, and no contract of a coin that
 * we know: people copy it from an explorer for their own, and what is sent there is lost.
 */
export function isForeignAddress(
  { addresses, networks, chains }: RefundAddressRules,
  payment: Pick<Payment, 'id' | 'address'>,
  network: NetworkId,
  address: string,
): boolean {
  if (!isAddress(network, address, chains.addressChains)) return false;
  // On every network: EVM networks share an address format.
  const derived = networks.flatMap((one) => addresses.derive(one, payment) ?? []);
  const contracts = COINS_ON_NETWORKS.flatMap(({ coin, network: one }) => [
    tokenContract(coin, one) ?? [],
    chains.contractOf(coin, one) ?? [],
  ]).flat();
  const refused = [payment.address, ...derived, ...contracts];
  return !refused.some((own) => own.toLowerCase() === address.toLowerCase());
}
