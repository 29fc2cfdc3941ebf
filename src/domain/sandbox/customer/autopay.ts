import { simulatorOf } from '../../chain/chain.ts';
import { chainKey } from '../../chain/simulator/store.ts';
import { finish, schedule } from '../../schedule/store.ts';
import { syncChain } from '../../payments/lifecycle/jobs.ts';
import { allows } from '../../payments/lifecycle/states.ts';
import { readPayments } from '../../payments/lifecycle/store.ts';
import type { Context } from '../../../platform/context.ts';
import { isZero } from '../../../platform/values/money.ts';
import { autopayPayment } from './jobs.ts';

/** Pays, in full and once, those of the payments that nobody has paid anything for. */
export async function autopay(ctx: Context, ids: readonly string[]): Promise<void> {
  const now = ctx.now();
  const testClock = ctx.testClock?.id ?? null;
  // A payment that moved to a world of its own since it was handed over is paid there.
  const payments = (await readPayments(ctx.db, ids)).filter((payment) => payment.test_clock === testClock);
  const unpaid = payments.filter(
    ({ status, amount_received }) => allows(status, 'deadline_passed') && isZero(amount_received),
  );
  const sendings = unpaid.map(({ id, network, coin, address, crypto_amount }) => ({
    network,
    coin,
    address,
    amount: crypto_amount,
    reference: `autopay ${id}`,
  }));
  const networks = new Set(unpaid.map(({ network }) => network));
  await ctx.db.transaction(async (tx) => {
    if (sendings.length > 0) await simulatorOf(ctx).send(tx, sendings, now);
    await schedule(
      tx,
      [...networks].map((network) => ({
        job: syncChain,
        key: chainKey(network, testClock),
        runAt: now,
        testClock: ctx.testClock,
      })),
    );
    await finish(
      tx,
      autopayPayment,
      payments.map(({ id }) => id),
      now,
    );
  });
}
