import type { CoinId } from '../../chain/coins.ts';
import type { NetworkId } from '../../chain/networks.ts';
import type { Rates } from '../../chain/port.ts';
import { schedule } from '../../schedule/store.ts';
import { addSeconds } from '../../../platform/clock.ts';
import { recordset, run, sql, type Tx } from '../../../platform/postgres/db.ts';
import { isZero } from '../../../platform/values/money.ts';
import { requotePayment } from '../lifecycle/jobs.ts';
import { testClockOf, type Payment } from '../lifecycle/payment.ts';
import { isOpen } from '../lifecycle/states.ts';
import { quote, type QuoteRequest } from './quote.ts';

/** Long enough to open a wallet and send a transfer, short enough that the market seldom moves far. */
export const RATE_LOCK_SECONDS = 15 * 60;

/** True while a payment may be requoted: no money was seen, and the deadline has not passed. */
export function canRequote(payment: Payment, now: Date): boolean {
  return isZero(payment.amount_received) && isOpen(payment.status) && now < payment.deadline_at;
}

/**
 * Returns the end of a lock that begins now, at most the deadline; null: the settlement coin has no rate to
 * lock.
 */
export function rateLockEnd(
  { pay_currency, expires_at }: Pick<Payment, 'pay_currency' | 'expires_at'>,
  coin: CoinId,
  now: Date,
): Date | null {
  if (coin === pay_currency) return null;
  const end = addSeconds(now, RATE_LOCK_SECONDS);
  return end < expires_at ? end : expires_at;
}

/** SQL: the columns of a quote as a row of a recordset. */
const QUOTE_COLUMNS = `payment_id text, coin text, network text, address text, crypto_amount text, rate text,
  locked_until timestamptz`;

const insertQuote = sql<never, { quotes: string; now: Date }>(
  'insert_quote',
  (p) => `
    INSERT INTO quotes (payment_id, coin, network, address, crypto_amount, rate, locked_until, created_at)
    SELECT q.*, ${p.now} FROM json_to_recordset(${p.quotes}::json) AS q (${QUOTE_COLUMNS})
    ON CONFLICT DO NOTHING`,
);

/** A quote to store for a payment, paid to `address`. */
export interface QuoteOffer {
  readonly paymentId: string;
  readonly address: string;
  readonly request: QuoteRequest;
  readonly rates: Rates;
  /** Null: the lock never ends. */
  readonly lockedUntil: Date | null;
}

/** Stores a quote, which locks rate and amount, unless the payment has a quote for the coin already. */
export async function storeQuote(tx: Tx, offer: QuoteOffer, now: Date): Promise<void> {
  const { coin, network, amount, rate } = quote(offer.request, offer.rates);
  const row = {
    payment_id: offer.paymentId,
    coin,
    network,
    address: offer.address,
    crypto_amount: amount,
    rate,
    locked_until: offer.lockedUntil,
  };
  await run(tx, insertQuote, { quotes: recordset([row]), now });
}

type LockedQuote = { payment_id: string; coin: CoinId; network: NetworkId };

const expiredLocks = sql<LockedQuote, { paymentIds: readonly string[]; now: Date }>(
  'expired_rate_locks',
  (p) => `
    SELECT payment_id, coin, network FROM quotes
    WHERE payment_id = ANY (${p.paymentIds}) AND locked_until <= ${p.now}`,
);
const updateQuotes = sql<never, { quotes: string }>(
  'update_quotes',
  (p) => `
    WITH fresh AS (
      SELECT * FROM json_to_recordset(${p.quotes}::json) AS f (${QUOTE_COLUMNS})
    ), own AS (
      UPDATE payments p SET crypto_amount = f.crypto_amount FROM fresh f
      WHERE p.id = f.payment_id AND p.coin = f.coin AND p.network = f.network
    )
    UPDATE quotes q SET crypto_amount = f.crypto_amount, rate = f.rate, locked_until = f.locked_until
    FROM fresh f
    WHERE q.payment_id = f.payment_id AND q.coin = f.coin AND q.network = f.network`,
);

/**
 * Requotes payments whose rate locks have ended. The caller has locked their rows and checked `canRequote`.
 */
export async function requoteExpired(
  tx: Tx,
  payments: readonly Payment[],
  rates: Rates,
  now: Date,
): Promise<void> {
  const ended = await run(tx, expiredLocks, { paymentIds: payments.map(({ id }) => id), now });
  if (ended.length === 0) return;
  const paymentOf = new Map(payments.map((payment) => [payment.id, payment]));
  const fresh = ended.flatMap(({ payment_id, coin, network }) => {
    const payment = paymentOf.get(payment_id);
    if (payment === undefined) return [];
    const { pay_amount: payAmount, pay_currency: payCurrency } = payment;
    const { amount, rate } = quote({ payAmount, payCurrency, coin, network }, rates);
    const locked_until = rateLockEnd(payment, coin, now);
    return [{ payment_id, coin, network, crypto_amount: amount, rate, locked_until }];
  });
  await run(tx, updateQuotes, { quotes: recordset(fresh) });
}

const earliestLockEnds = sql<{ payment_id: string; ends_at: Date }, { paymentIds: readonly string[] }>(
  'earliest_lock_ends',
  (p) => `
    SELECT q.payment_id, min(q.locked_until) AS ends_at
    FROM quotes q JOIN payments p ON p.id = q.payment_id
    WHERE q.payment_id = ANY (${p.paymentIds}) AND q.locked_until < p.expires_at
    GROUP BY q.payment_id`,
);

/**
 * Schedules the requote of each payment for when the first of its locks ends, if that is before the deadline.
 */
export async function scheduleRequote(tx: Tx, payments: readonly Payment[]): Promise<void> {
  const ends = await run(tx, earliestLockEnds, { paymentIds: payments.map(({ id }) => id) });
  const endOf = new Map(ends.map(({ payment_id, ends_at }) => [payment_id, ends_at]));
  await schedule(
    tx,
    payments.flatMap((payment) => {
      const runAt = endOf.get(payment.id);
      if (runAt === undefined) return [];
      return [{ job: requotePayment, key: payment.id, runAt, testClock: testClockOf(payment) }];
    }),
  );
}
