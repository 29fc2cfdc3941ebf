import { chainKey } from '../../chain/chain-key.ts';
import { isNetwork } from '../../chain/networks.ts';
import type { ChainOf } from '../../chain/port.ts';
import type { TestChain } from '../../chain/test-chain.ts';
import { once } from '../../idempotency/claim.ts';
import { syncChain } from '../../payments/lifecycle/jobs.ts';
import { testClockOf } from '../../payments/lifecycle/payment.ts';
import { getPayment, lockPayment } from '../../payments/lifecycle/store.ts';
import { withTestClockOf } from '../../payments/lifecycle/test-clock.ts';
import type { PaymentTransfer } from '../../payments/transfers/payment-transfer.ts';
import { readTransfers } from '../../payments/transfers/store.ts';
import { schedule } from '../../schedule/store.ts';
import type { Context } from '../../../platform/context.ts';
import { reply, type Caller, type IdempotencyClaim, type Reply } from '../../api/endpoint.ts';
import { ApiError } from '../../api/errors.ts';
import { assertNotTooMany } from './send-transfer.ts';
import type { ReplacedTransfer, ReplaceTransferBody } from './schemas.ts';

/**
 * Acts as a customer who replaces a transfer that the service has seen, mined or not: spends its money
 * elsewhere or, with `speed_up`, pays the same address with it. `transfer` counts from 1, the first that was
 * sent; default: the latest that is not dropped. Throws ApiError payment_not_found, and nothing_to_replace
 * when no transfer was seen or the selected one was replaced before.
 */
export async function replaceTransfer(
  ctx: Context,
  { testChain }: { testChain: ChainOf<TestChain> },
  { merchantId }: Pick<Caller, 'merchantId'>,
  id: string,
  { body, claim }: { body: ReplaceTransferBody; claim: IdempotencyClaim | null },
): Promise<Reply> {
  await getPayment(ctx.db, merchantId, id);
  return once(ctx.db, claim, ctx.now(), async (tx) => {
    // Under the row's lock the payment stays on its chain, and two requests cannot select the same latest
    // transfer.
    const payment = await lockPayment(tx, id);
    const own = withTestClockOf(ctx, payment);
    const now = own.now();
    const { tx_hash, network, coin, amount } = transferToReplace(await readTransfers(tx, [id]), body);
    const chain = testChain(own);
    if (body.speed_up === true) await assertNotTooMany(tx, id);
    const replaced = await (body.speed_up === true
      ? chain.speedUp(tx_hash, now, tx)
      : chain.replace(tx_hash, now, tx));
    if (replaced === null || !isNetwork(network))
      throw new Error(`transfer ${tx_hash} does not exist on the chain`);
    // Synced at once, like a transfer that the sandbox sends.
    const key = chainKey(network, payment.test_clock);
    await schedule(tx, [{ job: syncChain, key, runAt: now, testClock: testClockOf(payment) }]);
    const resource: ReplacedTransfer = {
      payment_id: id,
      tx_hash,
      coin,
      network,
      amount,
      replaced_by: replaced.replacedBy ?? '',
      replaced_at: (replaced.droppedAt ?? now).toISOString(),
    };
    return reply(200, resource);
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
