import { chainOf, simulatorOf } from '../../chain/chain.ts';
import { COINS_ON_NETWORKS, decimalsOf, isCoinOn, type CoinId } from '../../chain/coins.ts';
import type { NetworkId } from '../../chain/networks.ts';
import { ratesOf } from '../../chain/rates.ts';
import { schedule } from '../../schedule/store.ts';
import { once } from '../../idempotency/claim.ts';
import { evaluate } from '../../payments/transfers/evaluate.ts';
import { selectPaymentMethod } from '../../payments/pricing/select-method.ts';
import { syncChain } from '../../payments/lifecycle/jobs.ts';
import { testClockOf, type Payment } from '../../payments/lifecycle/payment.ts';
import { withTestClockOf } from '../../payments/lifecycle/test-clock.ts';
import { chainKey } from '../../chain/simulator/store.ts';
import { findPayment, lockPayments } from '../../payments/lifecycle/store.ts';
import { readTransfers } from '../../payments/transfers/store.ts';
import type { Context } from '../../../platform/context.ts';
import type { Tx } from '../../../platform/postgres/db.ts';
import { reply, type Caller, type IdempotencyClaim, type Reply } from '../../../platform/endpoint.ts';
import { ApiError, ValidationError } from '../../../platform/errors.ts';
import { asWritten, compare, divide, multiply, subtract } from '../../../platform/values/money.ts';
import type { SendTransferBody, TransferResource } from '../scenarios/schemas.ts';

/**
 * Plays the customer: chooses the coin as the checkout page would, and sends one transfer to the payment's address on the simulated
 * chain. `amount` defaults to what is still missing, or to the full amount when nothing is. Throws ApiError payment_not_found, and
 * ValidationError for a coin that does not live on the network.
 */
export async function sendTransfer(
  ctx: Context,
  { merchantId }: Pick<Caller, 'merchantId'>,
  id: string,
  body: SendTransferBody,
  claim: IdempotencyClaim | null,
): Promise<Reply> {
  const found = await findPayment(ctx.db, merchantId, id);
  if (found === null) throw new ApiError('payment_not_found');
  const rates = await ratesOf(ctx);
  return once(ctx.db, claim, ctx.now(), async (tx) => {
    const [payment] = await lockPayments(tx, [id]);
    if (payment === undefined) throw new ApiError('payment_not_found');
    // Of the locked row: money sent to a chain that the payment has just left would never arrive.
    const clocked = withTestClockOf(ctx, payment);
    const now = clocked.now();
    const { coin, network } = coinAndNetwork(payment, body);
    const quoted = await selectPaymentMethod(
      tx,
      payment,
      { coin, network, chain: chainOf(clocked), rates },
      now,
    );
    const amount = body.amount ?? (await missing(tx, payment, quoted.amount, coin, network));
    const [sent] = await simulatorOf(clocked).send(
      tx,
      [{ network, coin, address: quoted.address, amount }],
      now,
    );
    // Looking at the chain at once spares the developer who plays a payment through the wait for the next look.
    const chain = chainKey(network, payment.test_clock);
    await schedule(tx, [{ job: syncChain, key: chain, runAt: now, testClock: testClockOf(payment) }]);
    const transfer: TransferResource = {
      payment_id: id,
      tx_hash: sent?.txHash ?? '',
      coin,
      network,
      address: quoted.address,
      amount,
      sent_at: now.toISOString(),
    };
    return reply(201, transfer);
  });
}

/** A coin alone means its network when the payment's own does not know the coin, and the other way round. */
function coinAndNetwork(payment: Payment, body: SendTransferBody): { coin: CoinId; network: NetworkId } {
  const coin =
    body.coin ??
    COINS_ON_NETWORKS.find((pair) => pair.network === body.network && pair.coin === payment.coin)?.coin;
  const fitting = COINS_ON_NETWORKS.filter(
    (pair) => (coin ?? pair.coin) === pair.coin && (body.network ?? pair.network) === pair.network,
  );
  const found =
    fitting.find((pair) => pair.coin === payment.coin && pair.network === payment.network) ?? fitting[0];
  if (found === undefined || !isCoinOn(found.coin, found.network))
    throw new ValidationError('network', 'enum', `must be a network on which ${body.coin} lives`);
  return found;
}

/** What is still missing of a payment, in the coin, rounded up; the whole amount when nothing is. */
async function missing(
  tx: Tx,
  payment: Payment,
  quotedAmount: string,
  coin: CoinId,
  network: NetworkId,
): Promise<string> {
  const { received } = evaluate(payment, await readTransfers(tx, [payment.id]));
  const left = subtract(payment.pay_amount, received);
  if (compare(left, '0') <= 0 || compare(left, payment.pay_amount) === 0) return quotedAmount;
  return asWritten(
    divide(multiply(quotedAmount, left), payment.pay_amount, decimalsOf(coin, network), 'up'),
    quotedAmount,
  );
}
