import { simulatorOf } from '../../chain/chain.ts';
import { isNetwork } from '../../chain/networks.ts';
import { chainKey } from '../../chain/simulator/store.ts';
import { schedule } from '../../schedule/store.ts';
import { once } from '../../idempotency/claim.ts';
import type { PaymentTransfer } from '../../payments/transfers/evaluate.ts';
import { syncChain } from '../../payments/lifecycle/jobs.ts';
import { testClockOf } from '../../payments/lifecycle/payment.ts';
import { findPayment, lockPayments } from '../../payments/lifecycle/store.ts';
import { readTransfers } from '../../payments/transfers/store.ts';
import { withTestClockOf } from '../../payments/lifecycle/test-clock.ts';
import type { Context } from '../../../platform/context.ts';
import { reply, type Caller, type IdempotencyClaim, type Reply } from '../../../platform/endpoint.ts';
import { ApiError } from '../../../platform/errors.ts';
import type { ReplacedTransfer, ReplaceTransferBody } from '../scenarios/schemas.ts';

/**
 * Plays the customer who takes money back: spends a transfer that the service has seen elsewhere, mined or not. `transfer` counts from 1,
 * the first that was sent; default: the latest that stands. Throws ApiError payment_not_found, and nothing_to_replace when no transfer
 * was seen, or the one that is meant was replaced before.
 */
export async function replaceTransfer(
  ctx: Context,
  { merchantId }: Pick<Caller, 'merchantId'>,
  id: string,
  body: ReplaceTransferBody,
  claim: IdempotencyClaim | null,
): Promise<Reply> {
  if ((await findPayment(ctx.db, merchantId, id)) === null) throw new ApiError('payment_not_found');
  return once(ctx.db, claim, ctx.now(), async (tx) => {
    // Under the row's lock the payment stays in its world, and two requests cannot mean the same latest transfer.
    const [payment] = await lockPayments(tx, [id]);
    if (payment === undefined) throw new ApiError('payment_not_found');
    const clocked = withTestClockOf(ctx, payment);
    const now = clocked.now();
    const { tx_hash, network, coin, amount } = transferToReplace(await readTransfers(tx, [id]), body);
    const replaced = await simulatorOf(clocked).replace(tx_hash, now, tx);
    if (replaced === null || !isNetwork(network))
      throw new Error(`the chain has lost the transfer ${tx_hash}`);
    // Seen at once, as a transfer that is sent by the sandbox is.
    const chain = chainKey(network, payment.test_clock);
    await schedule(tx, [{ job: syncChain, key: chain, runAt: now, testClock: testClockOf(payment) }]);
    const answer: ReplacedTransfer = {
      payment_id: id,
      tx_hash,
      coin,
      network,
      amount,
      replaced_by: replaced.replacedBy ?? '',
      replaced_at: (replaced.droppedAt ?? now).toISOString(),
    };
    return reply(200, answer);
  });
}

function transferToReplace(
  transfers: readonly PaymentTransfer[],
  { transfer: number }: ReplaceTransferBody,
): PaymentTransfer {
  const standing = transfers.filter(({ dropped_at }) => dropped_at === null);
  const transfer = number === undefined ? standing.at(-1) : transfers[number - 1];
  if (transfer === undefined || !standing.includes(transfer)) throw new ApiError('nothing_to_replace');
  return transfer;
}
