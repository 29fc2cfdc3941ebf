import { reschedule } from '../due-work/store.ts';
import { pollSeconds } from '../chain/chain.ts';
import { isNetwork } from '../chain/networks.ts';
import { addSeconds } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import type { Handler } from '../../platform/job.ts';
import { expirePayments } from './expire.ts';
import { expirePayment, observeChain, sendRefund, settlePayment } from './jobs.ts';
import { observeNetwork } from './observe.ts';
import { sendRefunds } from './refund.ts';
import { settlePayments } from './settle.ts';

export const paymentHandlers: readonly Handler[] = [
  { job: expirePayment, handle: expirePayments },
  { job: settlePayment, handle: (ctx, ids) => settlePayments(ctx, ids) },
  { job: sendRefund, handle: sendRefunds },
  { job: observeChain, handle: observeNetworks },
];

/** Looks at each network and comes back with its next block, or at once while there is more to read. */
async function observeNetworks(ctx: Context, networks: readonly string[]): Promise<void> {
  for (const network of networks.filter(isNetwork)) {
    const startedAt = ctx.now();
    const isBehind = await observeNetwork(ctx, network);
    const runAt = isBehind ? ctx.now() : addSeconds(ctx.now(), pollSeconds(ctx, network));
    await reschedule(ctx.db, observeChain, network, { startedAt, runAt });
  }
}
