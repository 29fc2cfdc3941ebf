import { simulatorOf } from '../chain/chain.ts';
import { chainKey } from '../chain/simulator-store.ts';
import { finish, schedule } from '../due-work/store.ts';
import { observeChain } from '../payments/jobs.ts';
import { allows } from '../payments/states.ts';
import { readPayments } from '../payments/store.ts';
import type { Context } from '../../platform/context.ts';
import { isZero } from '../../platform/money.ts';
import { payBySimulator } from './jobs.ts';

/** Pays, in full and once, those of the payments that nobody has paid anything for. */
export async function autopay(ctx: Context, ids: readonly string[]): Promise<void> {
  const now = ctx.now();
  const world = ctx.clock?.world ?? null;
  // A payment that moved to a world of its own since it was handed over is paid there.
  const payments = (await readPayments(ctx.db, ids)).filter((payment) => payment.world === world);
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
        job: observeChain,
        key: chainKey(network, world),
        runAt: now,
        clock: ctx.clock,
      })),
    );
    await finish(
      tx,
      payBySimulator,
      payments.map(({ id }) => id),
      now,
    );
  });
}
