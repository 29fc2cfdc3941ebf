import { chainKey } from '../../chain/chain-key.ts';
import type { ChainOf, TestChain } from '../../chain/port.ts';
import { syncChain } from '../../payments/lifecycle/jobs.ts';
import { isOpen } from '../../payments/lifecycle/states.ts';
import { readPayments } from '../../payments/lifecycle/store.ts';
import { finish, schedule } from '../../schedule/store.ts';
import type { Context } from '../../../platform/context.ts';
import { isZero } from '../../../platform/values/money.ts';
import { autopayPayment } from './jobs.ts';

/** Pays in full, once, each of the payments that has no transfer yet. */
export async function autopay(
  ctx: Context,
  { testChain }: { testChain: ChainOf<TestChain> },
  ids: readonly string[],
): Promise<void> {
  const now = ctx.now();
  const { testClock } = ctx;
  const own = testClock?.id ?? null;
  // A payment that was isolated after the relay took its job is paid on its own chain.
  const payments = (await readPayments(ctx.db, ids)).filter(({ test_clock }) => test_clock === own);
  const unpaid = payments.filter(({ status, amount_received }) => isOpen(status) && isZero(amount_received));
  const sendings = unpaid.map(({ id, network, coin, address, crypto_amount }) => ({
    network,
    coin,
    address,
    amount: crypto_amount,
    reference: `autopay ${id}`,
  }));
  const chains = new Set(unpaid.map(({ network }) => chainKey(network, own)));
  await ctx.db.transaction(async (tx) => {
    if (sendings.length > 0) await testChain(ctx).send(tx, sendings, now);
    await schedule(
      tx,
      [...chains].map((key) => ({ job: syncChain, key, runAt: now, testClock })),
    );
    await finish(
      tx,
      autopayPayment,
      payments.map(({ id }) => id),
      now,
    );
  });
}
