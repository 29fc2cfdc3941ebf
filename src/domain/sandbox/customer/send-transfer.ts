import { chainKey } from '../../chain/chain-key.ts';
import { COINS_ON_NETWORKS, decimalsOf, isCoinOn, isInUnits, type CoinId } from '../../chain/coins.ts';
import type { NetworkId } from '../../chain/networks.ts';
import type { ChainOf } from '../../chain/port.ts';
import type { RateSource } from '../../chain/rates/rates.ts';
import type { TestChain } from '../../chain/test-chain.ts';
import { once } from '../../idempotency/claim.ts';
import { syncChain } from '../../payments/lifecycle/jobs.ts';
import { testClockOf, type Payment } from '../../payments/lifecycle/payment.ts';
import { getPayment, lockPayment } from '../../payments/lifecycle/store.ts';
import { withTestClockOf } from '../../payments/lifecycle/test-clock.ts';
import { readPrices } from '../../payments/pricing/market.ts';
import { selectPaymentMethod } from '../../payments/pricing/select-method.ts';
import { readTransfers } from '../../payments/transfers/store.ts';
import { schedule } from '../../schedule/store.ts';
import type { Context } from '../../../platform/context.ts';
import { runOne, sql, type Tx } from '../../../platform/postgres/db.ts';
import { pipelined } from '../../../platform/postgres/transactions/pipelined.ts';
import { reply, type Caller, type IdempotencyClaim, type Reply } from '../../api/endpoint.ts';
import { ValidationError } from '../../api/errors.ts';
import type { SendTransferBody, TransferResource } from './schemas.ts';

/** The adapters that the simulated customer uses. */
export interface CustomerAdapters {
  readonly testChain: ChainOf<TestChain>;
  readonly rates: RateSource;
}

/** More than any customer sends; a payment with as many still takes milliseconds to sync. */
export const MAX_TRANSFERS = 500;

/**
 * Acts as the customer: selects the payment method as the checkout page would, and sends one transfer to the
 * payment's address on the test chain. `amount` defaults to the missing amount, or to the full amount when
 * nothing is missing. Throws ApiError payment_not_found, and ValidationError for a coin that does not exist
 * on the network, an amount with more decimals than the coin has there, or one transfer too many.
 */
export async function sendTransfer(
  ctx: Context,
  { testChain, rates }: CustomerAdapters,
  { merchantId }: Pick<Caller, 'merchantId'>,
  id: string,
  { body, claim }: { body: SendTransferBody; claim: IdempotencyClaim | null },
): Promise<Reply> {
  await getPayment(ctx.db, merchantId, id);
  const pricesOf = await readPrices(ctx.db, rates, [merchantId], ctx.now());
  return once(ctx.db, claim, ctx.now(), async (tx) => {
    const [payment, count, transfers] = await pipelined(
      tx,
      () => lockPayment(tx, id),
      () => countTransfersOf(tx, id),
      () => readTransfers(tx, [id]),
    );
    // Read from the locked row: money sent to a chain that the payment has just left would never arrive.
    const own = withTestClockOf(ctx, payment);
    const chain = testChain(own);
    const now = own.now();
    const { coin, network } = methodOf(payment, body);
    assertInUnits(body, coin, network);
    assertFew(count);
    const offer = { coin, network, addresses: chain, prices: pricesOf(payment) };
    const quoted = await selectPaymentMethod(tx, { payment, transfers }, offer, now);
    const amount = body.amount ?? quoted.amount;
    const [sent] = await chain.send(tx, [{ network, coin, address: quoted.address, amount }], now);
    // Syncs the chain at once, so that a developer need not wait for the next poll.
    const key = chainKey(network, payment.test_clock);
    await schedule(tx, [{ job: syncChain, key, runAt: now, testClock: testClockOf(payment) }]);
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

/**
 * A coin without a network selects its own when it does not exist on the payment's; the same for a network
 * alone.
 */
function methodOf(payment: Payment, body: SendTransferBody): { coin: CoinId; network: NetworkId } {
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

// Indexes: quotes by payment, sim_transfers_by_address.
const countTransfers = sql<{ count: string }, { paymentId: string }>(
  'sandbox_transfers_of_payment',
  (p) => `
    SELECT count(*) FROM sim_transfers
    WHERE address IN (SELECT address FROM quotes WHERE payment_id = ${p.paymentId})`,
);

/**
 * Throws ValidationError when a payment has as many transfers as it may have: each sync reads all of them.
 */
export async function assertNotTooMany(tx: Tx, paymentId: string): Promise<void> {
  assertFew(await countTransfersOf(tx, paymentId));
}

async function countTransfersOf(tx: Tx, paymentId: string): Promise<number> {
  return Number((await runOne(tx, countTransfers, { paymentId }))?.count ?? 0);
}

function assertFew(count: number): void {
  if (count < MAX_TRANSFERS) return;
  throw new ValidationError(
    'body',
    'maxItems',
    `is one transfer too many: a payment gets at most ${MAX_TRANSFERS}`,
  );
}

function assertInUnits({ amount }: SendTransferBody, coin: CoinId, network: NetworkId): void {
  if (amount === undefined || isInUnits(amount, coin, network)) return;
  const decimals = decimalsOf(coin, network);
  throw new ValidationError(
    'amount',
    'multipleOf',
    `must have at most ${decimals} decimals: ${coin} on ${network} has no smaller unit`,
  );
}
