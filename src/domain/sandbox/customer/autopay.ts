import { chainKey } from '../../chain/chain-key.ts';
import type { ChainOf } from '../../chain/port.ts';
import type { TestChain } from '../../chain/test-chain.ts';
import { syncChain } from '../../payments/lifecycle/jobs.ts';
import type { PaymentAdapters } from '../../payments/lifecycle/ports.ts';
import { isOpen } from '../../payments/lifecycle/states.ts';
import { lockPayments } from '../../payments/lifecycle/store.ts';
import { findUnsimulated } from '../../payments/processing/by-mode.ts';
import { finish, schedule } from '../../schedule/store.ts';
import type { Context } from '../../../platform/context.ts';
import { isZero } from '../../../platform/values/money.ts';
import { autopayPayment } from './jobs.ts';

/** The adapters that autopay uses. */
export type AutopayAdapters = Pick<PaymentAdapters, 'modes'> & { readonly testChain: ChainOf<TestChain> };

/** Pays in full, once, each of the payments that has no transfer yet and that the simulator serves. */
export async function autopay(
  ctx: Context,
  { testChain, modes }: AutopayAdapters,
  ids: readonly string[],
): Promise<void> {
  const now = ctx.now();
  const { testClock } = ctx;
  const own = testClock?.id ?? null;
  const live = new Set((await findUnsimulated(ctx.db, { modes }, ids)).map(({ key }) => key));
  await ctx.db.transaction(async (tx) => {
    // A payment that was isolated after a run leased its job is paid on its own chain; under its lock it
    // stays on the one to which the money is sent.
    const payments = (await lockPayments(tx, ids)).filter(({ test_clock }) => test_clock === own);
    const unpaid = payments.filter(
      ({ id, status, amount_received }) => isOpen(status) && isZero(amount_received) && !live.has(id),
    );
    const sendings = unpaid.map(({ id, network, coin, address, crypto_amount }) => ({
      network,
      coin,
      address,
      amount: crypto_amount,
      reference: `autopay ${id}`,
    }));
    const chains = new Set(unpaid.map(({ network }) => chainKey(network, own)));
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
