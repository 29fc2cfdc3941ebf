import type { CoinId } from '../../chain/coins.ts';
import type { NetworkId } from '../../chain/networks.ts';
import type { Rates } from '../../chain/rates.ts';
import { schedule } from '../../schedule/store.ts';
import { addSeconds } from '../../../platform/clock.ts';
import { recordset, run, sql, type Tx } from '../../../platform/postgres/db.ts';
import { add, isZero, sum } from '../../../platform/values/money.ts';
import { requotePayment } from '../lifecycle/jobs.ts';
import { payableUntil, testClockOf, type Payment } from '../lifecycle/payment.ts';
import { HAS_QUARANTINED } from '../lifecycle/quarantine.ts';
import { isShort } from '../transfers/decide.ts';
import { evaluate } from '../transfers/evaluate.ts';
import { isStanding, type PaymentTransfer } from '../transfers/payment-transfer.ts';
import { readTransfersByPayment } from '../transfers/store.ts';
import { quote } from './quote.ts';

/** Long enough to open a wallet and send a transfer, short enough that the market seldom moves far. */
export const RATE_LOCK_SECONDS = 15 * 60;

/** True while what a payment misses may be quoted: it is open and short, and the deadline has not passed. */
export function canRequote(payment: Payment, now: Date): boolean {
  return isShort(payment) && now < payment.deadline_at;
}

/** True while the customer may select another method: nothing was seen. */
export function canSelectMethod(payment: Payment, now: Date): boolean {
  return canRequote(payment, now) && isZero(payment.amount_received);
}

/**
 * Returns the end of a lock that begins now; null: the settlement coin has no rate to lock. A lock ends with
 * the deadline at the latest: late money is credited at the market's rate, and a quote is then what the page
 * asks.
 */
function rateLockEnd(
  payment: Pick<Payment, 'pay_currency' | 'expires_at' | 'cancelled_at'>,
  coin: CoinId,
  now: Date,
): Date | null {
  if (coin === payment.pay_currency) return null;
  const end = addSeconds(now, RATE_LOCK_SECONDS);
  const until = payableUntil(payment);
  return now < until && until < end ? until : end;
}

/** A payment to quote, with its transfers. */
export interface QuotedPayment {
  readonly payment: Payment;
  readonly transfers: readonly PaymentTransfer[];
}

/** A method to quote, and the address that it is paid to. */
export interface QuotedMethod {
  readonly coin: CoinId;
  readonly network: NetworkId;
  readonly address: string;
}

/** Returns a quote of what a payment misses as its row: in the settlement coin without a lock. */
export function quoteRow(
  { payment, transfers }: QuotedPayment,
  { coin, network, address }: QuotedMethod,
  rates: Rates,
  now: Date,
) {
  const { id: payment_id, pay_currency: payCurrency } = payment;
  const { missing } = evaluate(payment, transfers);
  const { asks, rate } = quote({ missing, payCurrency, coin, network }, rates);
  const received = sum(
    transfers
      .filter((one) => isStanding(one) && one.coin === coin && one.network === network)
      .map(({ amount }) => amount),
  );
  const lockEnd = rateLockEnd(payment, coin, now);
  // Nothing is asked of a payment that is fully funded or over: should it become short, it is quoted then.
  const locked_until = lockEnd === null || canRequote(payment, now) ? lockEnd : now;
  return {
    payment_id,
    coin,
    network,
    address,
    // All of this coin that pays for the payment: what came, and what is asked.
    crypto_amount: isZero(received) ? asks : add(received, asks),
    rate,
    locked_until,
    asks: locked_until === null ? null : asks,
    covers: locked_until === null ? null : missing,
  };
}

/** SQL: the columns of a quote as a row of a recordset. */
const QUOTE_COLUMNS = `payment_id text, coin text, network text, address text, crypto_amount text, rate text,
  locked_until timestamptz, asks numeric, covers numeric`;

const insertQuote = sql<never, { quotes: string; now: Date }>(
  'insert_quote',
  (p) => `
    INSERT INTO quotes
      (payment_id, coin, network, address, crypto_amount, rate, locked_until, asks, covers, quoted_at)
    SELECT q.*, ${p.now} FROM json_to_recordset(${p.quotes}::json) AS q (${QUOTE_COLUMNS})
    ON CONFLICT DO NOTHING`,
);

/** Stores a quote of what the payment misses, unless it has a quote for the method already. */
export async function storeQuote(
  tx: Tx,
  quoted: QuotedPayment,
  method: QuotedMethod,
  rates: Rates,
  now: Date,
): Promise<void> {
  await run(tx, insertQuote, { quotes: recordset([quoteRow(quoted, method, rates, now)]), now });
}

type LockedMethod = { payment_id: string } & QuotedMethod;

// Transfers that are quarantined came while the lock held, and are credited by it once they are applied.
const expiredLocks = sql<LockedMethod, { paymentIds: readonly string[]; now: Date }>(
  'expired_rate_locks',
  (p) => `
    SELECT payment_id, coin, network, address FROM quotes q
    WHERE payment_id = ANY (${p.paymentIds}) AND locked_until <= ${p.now}
      AND NOT ${HAS_QUARANTINED('q.payment_id')}`,
);
const updateQuotes = sql<never, { quotes: string; now: Date }>(
  'update_quotes',
  (p) => `
    WITH fresh AS (
      SELECT * FROM json_to_recordset(${p.quotes}::json) AS f (${QUOTE_COLUMNS})
    ), own AS (
      UPDATE payments p SET crypto_amount = f.crypto_amount FROM fresh f
      WHERE p.id = f.payment_id AND p.coin = f.coin AND p.network = f.network
    )
    UPDATE quotes q SET crypto_amount = f.crypto_amount, rate = f.rate, locked_until = f.locked_until,
      asks = f.asks, covers = f.covers, quoted_at = ${p.now}
    FROM fresh f
    WHERE q.payment_id = f.payment_id AND q.coin = f.coin AND q.network = f.network`,
);

/**
 * Quotes again what payments miss whose rate locks have ended. The caller has locked their rows and checked
 * `canRequote`.
 */
export async function requoteExpired(
  tx: Tx,
  payments: readonly Payment[],
  rates: Rates,
  now: Date,
): Promise<void> {
  const ended = await run(tx, expiredLocks, { paymentIds: payments.map(({ id }) => id), now });
  if (ended.length === 0) return;
  const transfersOf = await readTransfersByPayment(
    tx,
    payments.map(({ id }) => id),
  );
  const paymentOf = new Map(payments.map((payment) => [payment.id, payment]));
  const fresh = ended.flatMap((method) => {
    const payment = paymentOf.get(method.payment_id);
    if (payment === undefined) return [];
    const quoted = { payment, transfers: transfersOf.get(payment.id) ?? [] };
    return [quoteRow(quoted, method, rates, now)];
  });
  await run(tx, updateQuotes, { quotes: recordset(fresh), now });
}

/** SQL: when the requote of each of the payments `p` is due: when its first lock ends before its deadline. */
export const REQUOTES = (which: string) => `
  SELECT p.id, q.ends_at, p.test_clock
  FROM payments p CROSS JOIN LATERAL (
    SELECT min(locked_until) AS ends_at FROM quotes
    WHERE payment_id = p.id AND locked_until < p.deadline_at
  ) q
  WHERE ${which}
    AND q.ends_at IS NOT NULL AND NOT ${HAS_QUARANTINED('p.id')}`;

const earliestLockEnds = sql<
  { id: string; ends_at: Date; test_clock: string | null },
  { paymentIds: readonly string[] }
>('earliest_lock_ends', (p) => REQUOTES(`p.id = ANY (${p.paymentIds})`));

/**
 * Schedules the requote of each payment for when the first of its locks ends, if that is before the deadline.
 * Applying transfers that are quarantined schedules it for their payment.
 */
export async function scheduleRequote(tx: Tx, payments: readonly Payment[]): Promise<void> {
  if (payments.length === 0) return;
  const ends = await run(tx, earliestLockEnds, { paymentIds: payments.map(({ id }) => id) });
  const endOf = new Map(ends.map(({ id, ends_at }) => [id, ends_at]));
  await schedule(
    tx,
    payments.flatMap((payment) => {
      const runAt = endOf.get(payment.id);
      if (runAt === undefined) return [];
      return [{ job: requotePayment, key: payment.id, runAt, testClock: testClockOf(payment) }];
    }),
  );
}
