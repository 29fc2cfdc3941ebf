import type { CoinId } from '../../chain/coins.ts';
import type { NetworkId } from '../../chain/networks.ts';
import { addSeconds } from '../../../platform/clock.ts';
import { recordset, run, sql, type Tx } from '../../../platform/postgres/db.ts';
import { add, isZero, sum } from '../../../platform/values/money.ts';
import { payableUntil, type Payment } from '../lifecycle/payment.ts';
import { HAS_QUARANTINED } from '../lifecycle/quarantine.ts';
import { isShort } from '../transfers/decide.ts';
import { evaluate } from '../transfers/evaluate.ts';
import { isStanding, type PaymentTransfer } from '../transfers/payment-transfer.ts';
import { readTransfersByPayment } from '../transfers/store.ts';
import { canPrice, evidenceOf, type Prices, type PricesOf } from './market.ts';
import { leftToSend, quote, type StoredQuote } from './quote.ts';

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

/**
 * Returns a quote of what a payment misses as its row: in the settlement coin without a lock. `before`: the
 * quote that it replaces; the row keeps what that asked for the same.
 */
export function quoteRow(
  { payment, transfers }: QuotedPayment,
  { coin, network, address }: QuotedMethod,
  { rates, market }: Prices,
  now: Date,
  before: StoredQuote | null = null,
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
    asked_before: before === null ? null : leftToSend(before, missing, { coin, network }),
    ...evidenceOf(market, coin, payCurrency),
  };
}

/** SQL: the columns of a quote as a row of a recordset. */
const QUOTE_COLUMNS = `payment_id text, coin text, network text, address text, crypto_amount text, rate text,
  locked_until timestamptz, asks numeric, covers numeric, asked_before numeric, rated_at timestamptz,
  rate_sources text[]`;

const insertQuote = sql<never, { quotes: string; now: Date }>(
  'insert_quote',
  (p) => `
    INSERT INTO quotes
      (payment_id, coin, network, address, crypto_amount, rate, locked_until, asks, covers, asked_before,
       rated_at, rate_sources, quoted_at)
    SELECT q.*, ${p.now} FROM json_to_recordset(${p.quotes}::json) AS q (${QUOTE_COLUMNS})
    ON CONFLICT DO NOTHING`,
);

/** Stores a quote of what the payment misses, unless it has a quote for the method already. */
export async function storeQuote(
  tx: Tx,
  quoted: QuotedPayment,
  method: QuotedMethod,
  prices: Prices,
  now: Date,
): Promise<void> {
  await run(tx, insertQuote, { quotes: recordset([quoteRow(quoted, method, prices, now)]), now });
}

type LockedMethod = { payment_id: string } & QuotedMethod & StoredQuote;

// Transfers that are quarantined came while the lock held, and are credited by it once they are applied.
const expiredLocks = sql<LockedMethod, { paymentIds: readonly string[]; now: Date }>(
  'expired_rate_locks',
  (p) => `
    SELECT payment_id, coin, network, address, asks, covers, rate FROM quotes q
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
      asks = f.asks, covers = f.covers, asked_before = f.asked_before, rated_at = f.rated_at,
      rate_sources = f.rate_sources, quoted_at = ${p.now}
    FROM fresh f
    WHERE q.payment_id = f.payment_id AND q.coin = f.coin AND q.network = f.network`,
);

/**
 * Quotes again what payments miss whose rate locks have ended. The caller has locked their rows and checked
 * `canRequote`. Returns the payments with a coin that has no price now: its quote stays as it is, ended.
 */
export async function requoteExpired(
  tx: Tx,
  payments: readonly Payment[],
  pricesOf: PricesOf,
  now: Date,
): Promise<ReadonlySet<string>> {
  const waiting = new Set<string>();
  const ended = await run(tx, expiredLocks, { paymentIds: payments.map(({ id }) => id), now });
  if (ended.length === 0) return waiting;
  const transfersOf = await readTransfersByPayment(
    tx,
    payments.map(({ id }) => id),
  );
  const paymentOf = new Map(payments.map((payment) => [payment.id, payment]));
  const fresh = ended.flatMap((method) => {
    const payment = paymentOf.get(method.payment_id);
    if (payment === undefined) return [];
    const prices = pricesOf(payment);
    if (!canPrice(prices.rates, method.coin, payment.pay_currency)) {
      waiting.add(payment.id);
      return [];
    }
    const quoted = { payment, transfers: transfersOf.get(payment.id) ?? [] };
    return [quoteRow(quoted, method, prices, now, method)];
  });
  await run(tx, updateQuotes, { quotes: recordset(fresh), now });
  return waiting;
}
