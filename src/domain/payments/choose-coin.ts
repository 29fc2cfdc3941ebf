import type { ChainClient } from '../chain/client.ts';
import type { CoinId } from '../chain/coins.ts';
import type { NetworkId } from '../chain/networks.ts';
import { run, runOne, sql, type Tx } from '../../platform/db.ts';
import { isZero } from '../../platform/money.ts';
import type { Payment } from './payment.ts';
import { storeQuote } from './transfers.ts';

const quoteOf = sql<{ address: string; amount: string }>(
  'quote_of_payment',
  `SELECT address, crypto_amount AS amount FROM quotes WHERE payment_id = $1 AND coin = $2 AND network = $3`,
);
const setCoin = sql(
  'set_coin',
  `UPDATE payments SET coin = $2, network = $3, address = $4, crypto_amount = $5 WHERE id = $1`,
);

/**
 * Locks rate and amount for paying `payment` (whose row the caller holds) in `coin` on `network`, and answers address and amount to
 * pay. The coin becomes the payment's own unless money was seen already; what was quoted before stays valid at its own address.
 */
export async function chooseCoin(
  tx: Tx,
  chain: ChainClient,
  payment: Payment,
  coin: CoinId,
  network: NetworkId,
  now: Date,
): Promise<{ address: string; amount: string }> {
  const terms = { payAmount: payment.pay_amount, payCurrency: payment.pay_currency, coin, network };
  await storeQuote(tx, payment.id, chain.depositAddress(network, payment.id), terms, now);
  const quoted = await runOne(tx, quoteOf, [payment.id, coin, network]);
  if (quoted === null) throw new Error(`the quote of ${payment.id} in ${coin} on ${network} is gone`);
  if (isZero(payment.amount_received))
    await run(tx, setCoin, [payment.id, coin, network, quoted.address, quoted.amount]);
  return quoted;
}
