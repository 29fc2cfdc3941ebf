import type { CoinId } from '../../chain/coins.ts';
import type { NetworkId } from '../../chain/networks.ts';
import type { ChainClient, Rates } from '../../chain/port.ts';
import { run, runOne, sql, type Tx } from '../../../platform/postgres/db.ts';
import { isZero } from '../../../platform/values/money.ts';
import type { Payment } from '../lifecycle/payment.ts';
import { canRequote, rateLockEnd, requoteExpired, scheduleRequote, storeQuote } from './quotes.ts';

interface MethodOfPayment {
  readonly paymentId: string;
  readonly coin: string;
  readonly network: string;
}

const quoteOfPayment = sql<{ address: string; amount: string }, MethodOfPayment>(
  'quote_of_payment',
  (p) => `
    SELECT address, crypto_amount AS amount FROM quotes
    WHERE payment_id = ${p.paymentId} AND coin = ${p.coin} AND network = ${p.network}`,
);
const updateMethod = sql<never, MethodOfPayment & { address: string; amount: string }>(
  'update_payment_method',
  (p) => `
    UPDATE payments
    SET coin = ${p.coin}, network = ${p.network}, address = ${p.address}, crypto_amount = ${p.amount}
    WHERE id = ${p.paymentId}`,
);

/** A payment method with the data of its quote. */
export interface MethodOffer {
  readonly coin: CoinId;
  readonly network: NetworkId;
  readonly chain: ChainClient;
  readonly rates: Rates;
}

/**
 * Locks rate and amount of a coin for `payment`, whose row the caller has locked, for RATE_LOCK_SECONDS, and
 * returns the address and the amount to pay. A lock that has not ended is kept: selecting again must not
 * yield a better rate. The method becomes the payment's own unless money was seen already; quotes in other
 * coins stay valid at their own addresses.
 */
export async function selectPaymentMethod(
  tx: Tx,
  payment: Payment,
  { coin, network, chain, rates }: MethodOffer,
  now: Date,
): Promise<{ address: string; amount: string }> {
  const { id: paymentId, pay_amount: payAmount, pay_currency: payCurrency } = payment;
  const request = { payAmount, payCurrency, coin, network };
  const address = chain.depositAddress(network, paymentId);
  const lockedUntil = rateLockEnd(payment, coin, now);
  await storeQuote(tx, { paymentId, address, request, rates, lockedUntil }, now);
  if (canRequote(payment, now)) {
    await requoteExpired(tx, [payment], rates, now);
    await scheduleRequote(tx, [payment]);
  }
  const method = { paymentId, coin, network };
  const quoted = await runOne(tx, quoteOfPayment, method);
  if (quoted === null)
    throw new Error(`the quote of payment ${paymentId} in ${coin} on ${network} does not exist`);
  if (isZero(payment.amount_received)) await run(tx, updateMethod, { ...method, ...quoted });
  return quoted;
}
