import { quote, type QuoteRequest } from './quote.ts';
import type { CoinId } from '../../chain/coins.ts';
import type { NetworkId } from '../../chain/networks.ts';
import type { Rates } from '../../chain/rates.ts';
import { schedule } from '../../schedule/store.ts';
import { addSeconds } from '../../../platform/clock.ts';
import { run, sql, type Tx } from '../../../platform/postgres/db.ts';
import { isZero } from '../../../platform/values/money.ts';
import { requotePayment } from '../lifecycle/jobs.ts';
import { testClockOf, type Payment } from '../lifecycle/payment.ts';
import { allows } from '../lifecycle/states.ts';

/** Long enough to find a wallet and to have a transfer sent by it, short enough that a market seldom moves far meanwhile. */
export const RATE_LOCK_SECONDS = 15 * 60;

/** True while a payment's price may be named anew: no money was seen that would have to be worth what was promised, and there is time. */
export function canRequote(payment: Payment, now: Date): boolean {
  return (
    isZero(payment.amount_received) && allows(payment.status, 'deadline_passed') && now < payment.deadline_at
  );
}

/** Until when a price that is named now holds, never beyond the deadline; null: in the settlement coin itself there is no rate. */
export function rateLockEnd(
  { pay_currency, expires_at }: Pick<Payment, 'pay_currency' | 'expires_at'>,
  coin: CoinId,
  now: Date,
): Date | null {
  if (coin === pay_currency) return null;
  const end = addSeconds(now, RATE_LOCK_SECONDS);
  return end < expires_at ? end : expires_at;
}

const insertQuote = sql(
  'insert_quote',
  `INSERT INTO quotes (payment_id, coin, network, address, crypto_amount, rate, created_at, locked_until)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING`,
);

/** Locks rate and amount of a coin for a payment, unless it has a quote for the coin already. `lockedUntil`: null for good. */
export async function storeQuote(
  tx: Tx,
  offer: { paymentId: string; address: string; asked: QuoteRequest; rates: Rates; lockedUntil: Date | null },
  now: Date,
): Promise<void> {
  const { coin, network, amount, rate } = quote(offer.asked, offer.rates);
  await run(tx, insertQuote, [
    offer.paymentId,
    coin,
    network,
    offer.address,
    amount,
    rate,
    now,
    offer.lockedUntil,
  ]);
}

const expiredLocks = sql<{ payment_id: string; coin: CoinId; network: NetworkId }>(
  'ended_locks',
  `SELECT payment_id, coin, network FROM quotes WHERE payment_id = ANY ($1) AND locked_until <= $2`,
);
const updateQuotes = sql(
  'update_quotes',
  `WITH fresh AS (
     SELECT * FROM jsonb_to_recordset($1::jsonb)
       AS f (payment_id text, coin text, network text, crypto_amount text, rate text, locked_until timestamptz)
   ), own AS (
     UPDATE payments p SET crypto_amount = f.crypto_amount FROM fresh f
     WHERE p.id = f.payment_id AND p.coin = f.coin AND p.network = f.network
   )
   UPDATE quotes q SET crypto_amount = f.crypto_amount, rate = f.rate, locked_until = f.locked_until FROM fresh f
   WHERE q.payment_id = f.payment_id AND q.coin = f.coin AND q.network = f.network`,
);

/** Names the price anew wherever a lock of the payments has ended. The caller holds their rows, and knows that their prices are open. */
export async function requoteExpired(
  tx: Tx,
  payments: readonly Payment[],
  rates: Rates,
  now: Date,
): Promise<void> {
  const ended = await run(tx, expiredLocks, [payments.map(({ id }) => id), now]);
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
  await run(tx, updateQuotes, [JSON.stringify(fresh)]);
}

const earliestLockEnds = sql<{ payment_id: string; ends_at: Date }>(
  'first_lock_ends',
  `SELECT q.payment_id, min(q.locked_until) AS ends_at FROM quotes q JOIN payments p ON p.id = q.payment_id
   WHERE q.payment_id = ANY ($1) AND q.locked_until < p.expires_at GROUP BY q.payment_id`,
);

/** Schedules that each payment's price is named anew when the first of its locks ends, if that is before the deadline. */
export async function scheduleRequote(tx: Tx, payments: readonly Payment[]): Promise<void> {
  const ends = await run(tx, earliestLockEnds, [payments.map(({ id }) => id)]);
  const endOf = new Map(ends.map(({ payment_id, ends_at }) => [payment_id, ends_at]));
  await schedule(
    tx,
    payments.flatMap((payment) => {
      const runAt = endOf.get(payment.id);
      return runAt === undefined
        ? []
        : [{ job: requotePayment, key: payment.id, runAt, testClock: testClockOf(payment) }];
    }),
  );
}
