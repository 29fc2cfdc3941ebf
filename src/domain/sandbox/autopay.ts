import { simulatorOf } from '../chain/chain.ts';
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
  const unpaid = (await readPayments(ctx.db, ids)).filter(
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
      [...networks].map((network) => ({ job: observeChain, key: network, runAt: now })),
    );
    await finish(tx, payBySimulator, ids, now);
  });
}
