import type { CoinId } from '../../chain/coins.ts';
import type { NetworkId } from '../../chain/networks.ts';
import type { AddressBook } from '../../chain/wallets/address-book.ts';
import { ApiError } from '../../api/errors.ts';
import { run, runOne, sql, type Tx } from '../../../platform/postgres/db.ts';
import { pipelined } from '../../../platform/postgres/transactions/pipelined.ts';
import { isZero } from '../../../platform/values/money.ts';
import { HAS_QUARANTINED } from '../lifecycle/quarantine.ts';
import { evaluate } from '../transfers/evaluate.ts';
import type { Prices } from './market.ts';
import { leftToSend, quote, type StoredQuote } from './quote.ts';
import { canRequote, requoteExpired, storeQuote, type QuotedPayment } from './quotes.ts';
import { scheduleRequote } from './schedule-requote.ts';

interface MethodOfPayment {
  readonly paymentId: string;
  readonly coin: string;
  readonly network: string;
}

const quoteOfPayment = sql<{ address: string; crypto_amount: string } & StoredQuote, MethodOfPayment>(
  'quote_of_payment',
  (p) => `
    SELECT address, crypto_amount, asks, covers, rate FROM quotes
    WHERE payment_id = ${p.paymentId} AND coin = ${p.coin} AND network = ${p.network}`,
);
// A payment whose first transfer is quarantined has been paid with the method that it has.
const updateMethod = sql<never, MethodOfPayment & { address: string; amount: string }>(
  'update_payment_method',
  (p) => `
    UPDATE payments p
    SET coin = ${p.coin}, network = ${p.network}, address = ${p.address}, crypto_amount = ${p.amount}
    WHERE id = ${p.paymentId} AND NOT ${HAS_QUARANTINED('p.id')}`,
);

/** A payment method with the data of its quote. */
export interface MethodOffer {
  readonly coin: CoinId;
  readonly network: NetworkId;
  readonly addresses: AddressBook;
  readonly prices: Prices;
}

/** A method that a customer can pay with. */
export interface SelectedMethod {
  readonly address: string;
  /** What is still to be sent in the coin; the whole amount when nothing is missing. */
  readonly amount: string;
}

/**
 * Quotes in a coin what a payment misses, whose row the caller has locked, at a rate locked for
 * RATE_LOCK_SECONDS, and returns the address and the amount to pay. A lock that has not ended is kept:
 * selecting again must not yield a better rate. The method becomes the payment's own unless money was seen
 * already; quotes in other coins stay valid at their own addresses. Throws ApiError network_unavailable where
 * the payment takes no money on the network.
 */
export async function selectPaymentMethod(
  tx: Tx,
  { payment, transfers }: QuotedPayment,
  { coin, network, addresses, prices }: MethodOffer,
  now: Date,
): Promise<SelectedMethod> {
  const paymentId = payment.id;
  const derived = addresses.derive(network, payment, coin);
  if (derived === null) throw new ApiError('network_unavailable');
  const method = { coin, network, address: derived };
  await storeQuote(tx, { payment, transfers }, method, prices, now);
  if (canRequote(payment, now)) await requoteExpired(tx, [payment], () => prices, now);
  const [quoted] = await pipelined(
    tx,
    () => runOne(tx, quoteOfPayment, { paymentId, coin, network }),
    () => scheduleRequote(tx, canRequote(payment, now) ? [payment] : []),
  );
  if (quoted === null)
    throw new Error(`the quote of payment ${paymentId} in ${coin} on ${network} does not exist`);
  const { address, crypto_amount } = quoted;
  if (isZero(payment.amount_received))
    await run(tx, updateMethod, { paymentId, coin, network, address, amount: crypto_amount });
  const { missing } = evaluate(payment, transfers);
  const amount = isZero(missing)
    ? quote({ missing: payment.pay_amount, payCurrency: payment.pay_currency, coin, network }, prices.rates)
        .asks
    : leftToSend(quoted, missing, { coin, network });
  return { address, amount };
}
