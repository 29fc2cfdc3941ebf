import type { ChainClient } from '../../chain/port.ts';
import type { CoinId } from '../../chain/coins.ts';
import type { NetworkId } from '../../chain/networks.ts';
import type { Rates } from '../../chain/rates.ts';
import { run, runOne, sql, type Tx } from '../../../platform/postgres/db.ts';
import { isZero } from '../../../platform/values/money.ts';
import type { Payment } from '../lifecycle/payment.ts';
import { canRequote, rateLockEnd, requoteExpired, scheduleRequote, storeQuote } from './quotes.ts';

const quoteOf = sql<{ address: string; amount: string }>(
  'quote_of_payment',
  `SELECT address, crypto_amount AS amount FROM quotes WHERE payment_id = $1 AND coin = $2 AND network = $3`,
);
const updateMethod = sql(
  'set_coin',
  `UPDATE payments SET coin = $2, network = $3, address = $4, crypto_amount = $5 WHERE id = $1`,
);

/** A coin on a network, and what it takes to say what it costs there. */
export interface MethodOffer {
  readonly coin: CoinId;
  readonly network: NetworkId;
  readonly chain: ChainClient;
  readonly rates: Rates;
}

/**
 * Locks rate and amount for paying `payment` (whose row the caller holds) in a coin, for RATE_LOCK_SECONDS, and answers address and
 * amount to pay. A lock that has not ended is kept, so that nobody can try for a better rate. The coin becomes the payment's own unless
 * money was seen already; what was quoted for others stays valid at its own address.
 */
export async function selectPaymentMethod(
  tx: Tx,
  payment: Payment,
  { coin, network, chain, rates }: MethodOffer,
  now: Date,
): Promise<{ address: string; amount: string }> {
  const asked = { payAmount: payment.pay_amount, payCurrency: payment.pay_currency, coin, network };
  const address = chain.depositAddress(network, payment.id);
  const lockedUntil = rateLockEnd(payment, coin, now);
  await storeQuote(tx, { paymentId: payment.id, address, asked, rates, lockedUntil }, now);
  if (canRequote(payment, now)) {
    await requoteExpired(tx, [payment], rates, now);
    await scheduleRequote(tx, [payment]);
  }
  const quoted = await runOne(tx, quoteOf, [payment.id, coin, network]);
  if (quoted === null) throw new Error(`the quote of ${payment.id} in ${coin} on ${network} is gone`);
  if (isZero(payment.amount_received))
    await run(tx, updateMethod, [payment.id, coin, network, quoted.address, quoted.amount]);
  return quoted;
}
