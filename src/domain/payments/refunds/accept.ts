import { roundToUnits } from '../../chain/coins.ts';
import { schedule } from '../../schedule/store.ts';
import { newId } from '../../../platform/values/ids.ts';
import { asWritten, sum } from '../../../platform/values/money.ts';
import { groupBy, run, sql, type Connection, type Tx } from '../../../platform/postgres/db.ts';
import type { CheckoutPrice } from '../../../sdk/event-types.ts';
import { creditOfParts, methodOf, type Part } from '../conversions/plan.ts';
import { askRefundAddress, offerRefund, sendRefund } from '../lifecycle/jobs.ts';
import { isReal, testClockOf, type Payment } from '../lifecycle/payment.ts';
import type { PaymentTransfer } from '../transfers/payment-transfer.ts';
import { destinationOf, type AskedDestination } from './destination.ts';
import type { SettledMoney } from './left.ts';
import { insertRefundRows, reserve, type Refund, type ReservedPart } from './store.ts';
import { acceptedStatus, isPending, isUnsigned } from './states.ts';

/** Why and where money goes back. */
export interface RefundTerms extends AskedDestination {
  readonly reason: string | null;
  /** What was asked for in money; default: nothing was. */
  readonly price?: CheckoutPrice | null;
  /** All transfers of the payment. */
  readonly transfers: readonly PaymentTransfer[];
}

/** A refund that nothing is stored of yet. */
export interface PlannedRefund {
  readonly refund: Refund;
  /** The held coins that it reserves; of what was settled: none. */
  readonly parts: readonly Part[];
}

/**
 * Plans the refund of held coins: the coins that came, never converted; one refund per coin and network. The
 * parts are above the dust limit. Returns the refunds, newest money first.
 */
export async function planHeld(
  connection: Connection,
  payment: Payment,
  parts: readonly Part[],
  terms: RefundTerms,
  now: Date,
): Promise<PlannedRefund[]> {
  const newestFirst = parts.toSorted((a, b) => b.transfer.seen_at.getTime() - a.transfer.seen_at.getTime());
  const planned: PlannedRefund[] = [];
  for (const group of groupBy(newestFirst, ({ transfer }) => methodOf(transfer)).values()) {
    const refund = await newRefund(connection, payment, moneyOf(payment, group), terms, now);
    planned.push({ refund, parts: group });
  }
  return planned;
}

/** Returns what parts of transfers in one coin on one network amount to. */
function moneyOf(payment: Payment, group: readonly Part[]): RefundedMoney {
  const [first] = group;
  if (first === undefined) throw new Error('a refund needs money');
  const { coin, network } = first.transfer;
  return {
    source: 'held',
    coin,
    network,
    coin_amount: sum(group.map(({ coins }) => coins)),
    amount: inPayCurrency(payment, creditOfParts(group)),
  };
}

/**
 * Plans a refund out of what was settled, in the coin in which it was. The caller has checked that the money
 * is left, whole units, and above the dust limit.
 */
export async function planSettled(
  connection: Connection,
  payment: Payment,
  money: SettledMoney,
  terms: RefundTerms,
  now: Date,
): Promise<PlannedRefund> {
  const refund = await newRefund(connection, payment, { source: 'settled', ...money }, terms, now);
  return { refund, parts: [] };
}

type RefundedMoney = Pick<Refund, 'source' | 'coin' | 'network' | 'coin_amount' | 'amount'>;

async function newRefund(
  connection: Connection,
  payment: Payment,
  money: RefundedMoney,
  terms: RefundTerms,
  now: Date,
): Promise<Refund> {
  const address = await destinationOf(connection, payment, money, terms.transfers, terms);
  return {
    id: newId('ref', now),
    payment_id: payment.id,
    currency: payment.pay_currency,
    ...money,
    reason: terms.reason,
    price: terms.price ?? null,
    address,
    // What came to a wallet or an account of the merchant goes back from one: the service has no key.
    status: acceptedStatus(address, isReal(payment)),
    tx_hash: null,
    problem: null,
    offered_at: null,
    created_at: now,
  };
}

/**
 * Accepts planned refunds: stores them, reserves their coins, schedules the payout of those that the service
 * sends, and asks for missing addresses. The caller has locked the payment before they were planned.
 */
export async function acceptPlanned(
  tx: Tx,
  payment: Payment,
  planned: readonly PlannedRefund[],
  now: Date,
): Promise<void> {
  if (planned.length === 0) return;
  const refunds = planned.map(({ refund }) => refund);
  const idsOf = (some: readonly Refund[]) => some.map(({ id }) => id);
  await insertRefundRows(tx, refunds);
  await schedulePayouts(tx, payment, idsOf(refunds.filter(({ status }) => isPending(status))), now);
  await scheduleOffers(tx, idsOf(refunds.filter(({ status }) => isUnsigned(status))), now);
  await askForAddresses(tx, payment, idsOf(refunds.filter(({ address }) => address === null)), now);
  await reserve(tx, planned.flatMap(reservedBy));
}

const reservedBy = ({ refund, parts }: PlannedRefund): ReservedPart[] =>
  parts.map(({ transfer: { payment_id, network, tx_hash, coin }, coins }) => {
    return { refund_id: refund.id, payment_id, network, tx_hash, coin, coins };
  });

/**
 * Accepts refunds of held coins, as `planHeld` does. The caller has locked the payment, and has read its
 * transfers since.
 */
export async function returnHeld(
  tx: Tx,
  payment: Payment,
  parts: readonly Part[],
  terms: RefundTerms,
  now: Date,
): Promise<void> {
  await acceptPlanned(tx, payment, await planHeld(tx, payment, parts, terms, now), now);
}

// An address that was cleared is asked for again, as if it had never been.
const insertRequests = sql<never, { ids: readonly string[] }>(
  'insert_refund_requests',
  (p) => `
    INSERT INTO refund_requests (refund_id) SELECT id FROM unnest(${p.ids}::text[]) AS id ORDER BY id
    ON CONFLICT (refund_id) DO UPDATE
      SET attempts = 0, leased_until = NULL, sent_at = NULL, given_up_at = NULL, last_error = NULL`,
);

/** Schedules the mails that ask the payment's customer, if one is known, for the addresses of refunds. */
export async function askForAddresses(
  tx: Tx,
  payment: Payment,
  ids: readonly string[],
  now: Date,
): Promise<void> {
  if (ids.length === 0 || payment.customer_email === null) return;
  await run(tx, insertRequests, { ids });
  const testClock = testClockOf(payment);
  await schedule(
    tx,
    ids.map((key) => ({ job: askRefundAddress, key, runAt: now, testClock })),
  );
}

/** Schedules the payout of refunds of a payment. */
export async function schedulePayouts(
  tx: Tx,
  payment: Payment,
  ids: readonly string[],
  now: Date,
): Promise<void> {
  const testClock = testClockOf(payment);
  await schedule(
    tx,
    ids.map((key) => ({ job: sendRefund, key, runAt: now, testClock })),
  );
}

/** Schedules that refunds, which wait for a signature, are offered to the signer where it serves them. */
export async function scheduleOffers(tx: Tx, ids: readonly string[], now: Date): Promise<void> {
  const offer = (key: string) => ({ job: offerRefund, key, runAt: now, testClock: null });
  await schedule(tx, ids.map(offer));
}

/**
 * Cuts a credit to the decimals of the settlement coin, and writes it like the price when it is equal to it.
 */
function inPayCurrency({ pay_amount, pay_currency, pay_network }: Payment, credit: string): string {
  return asWritten(roundToUnits(credit, pay_currency, pay_network, 'down'), pay_amount);
}
