import { roundToUnits } from '../../chain/coins.ts';
import { schedule } from '../../schedule/store.ts';
import { newId } from '../../../platform/values/ids.ts';
import { asWritten, sum } from '../../../platform/values/money.ts';
import { groupBy, recordset, run, sql, type Tx } from '../../../platform/postgres/db.ts';
import type { CheckoutPrice } from '../../../sdk/event-types.ts';
import { creditOfParts, methodOf, type Part } from '../conversions/plan.ts';
import { askRefundAddress, offerRefund, sendRefund } from '../lifecycle/jobs.ts';
import { isReal, testClockOf, type Payment } from '../lifecycle/payment.ts';
import type { PaymentTransfer } from '../transfers/payment-transfer.ts';
import { destinationOf, type AskedDestination } from './destination.ts';
import type { SettledMoney } from './left.ts';
import { insertRefundRows, type Refund } from './store.ts';
import { acceptedStatus, isPending, isUnsigned } from './states.ts';

/** Why and where money goes back. */
export interface RefundTerms extends AskedDestination {
  readonly reason: string | null;
  /** What was asked for in money; default: nothing was. */
  readonly price?: CheckoutPrice | null;
  /** All transfers of the payment. */
  readonly transfers: readonly PaymentTransfer[];
}

const reserveParts = sql<never, { parts: string }>(
  'reserve_parts',
  (p) => `
    WITH part AS (
      SELECT * FROM jsonb_to_recordset(${p.parts}::jsonb) AS r (
        refund_id text, payment_id text, network text, tx_hash text, coin text, coins numeric)
    ), reserved AS (
      INSERT INTO refund_parts (refund_id, payment_id, network, tx_hash, coin, coins) SELECT * FROM part
    )
    UPDATE transfers t SET returned = t.returned + part.coins FROM part
    WHERE t.payment_id = part.payment_id AND t.network = part.network
      AND t.tx_hash = part.tx_hash AND t.coin = part.coin`,
);

/**
 * Accepts refunds of held coins: the coins that came, never converted; one refund per coin and network, whose
 * coins are reserved. The caller has locked the payment, and the parts are above the dust limit. Returns the
 * refunds, newest money first.
 */
export async function returnHeld(
  tx: Tx,
  payment: Payment,
  parts: readonly Part[],
  terms: RefundTerms,
  now: Date,
): Promise<Refund[]> {
  if (parts.length === 0) return [];
  const newestFirst = parts.toSorted((a, b) => b.transfer.seen_at.getTime() - a.transfer.seen_at.getTime());
  const refunds: Refund[] = [];
  const reserved: object[] = [];
  for (const group of groupBy(newestFirst, ({ transfer }) => methodOf(transfer)).values()) {
    const refund = await newRefund(tx, payment, moneyOf(payment, group), terms, now);
    refunds.push(refund);
    for (const { transfer, coins } of group) {
      const { payment_id, network, tx_hash, coin } = transfer;
      reserved.push({ refund_id: refund.id, payment_id, network, tx_hash, coin, coins });
    }
  }
  await accept(tx, payment, refunds, now);
  await run(tx, reserveParts, { parts: recordset(reserved) });
  return refunds;
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
 * Accepts a refund out of what was settled, in the coin in which it was. The caller has locked the payment
 * and checked that the money is left, whole units, and above the dust limit.
 */
export async function refundSettled(
  tx: Tx,
  payment: Payment,
  money: SettledMoney,
  terms: RefundTerms,
  now: Date,
): Promise<Refund> {
  const refund = await newRefund(tx, payment, { source: 'settled', ...money }, terms, now);
  await accept(tx, payment, [refund], now);
  return refund;
}

type RefundedMoney = Pick<Refund, 'source' | 'coin' | 'network' | 'coin_amount' | 'amount'>;

async function newRefund(
  tx: Tx,
  payment: Payment,
  money: RefundedMoney,
  terms: RefundTerms,
  now: Date,
): Promise<Refund> {
  const address = await destinationOf(tx, payment, money, terms.transfers, terms);
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

/** Stores refunds, schedules the payout of those that the service sends, and asks for missing addresses. */
async function accept(tx: Tx, payment: Payment, refunds: readonly Refund[], now: Date): Promise<void> {
  await insertRefundRows(tx, refunds);
  await schedulePayouts(
    tx,
    payment,
    refunds.filter(({ status }) => isPending(status)).map(({ id }) => id),
    now,
  );
  await scheduleOffers(
    tx,
    refunds.filter(({ status }) => isUnsigned(status)).map(({ id }) => id),
    now,
  );
  const waiting = refunds.filter(({ address }) => address === null).map(({ id }) => id);
  await askForAddresses(tx, payment, waiting, now);
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
