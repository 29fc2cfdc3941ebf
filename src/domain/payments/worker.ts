import { finish, reschedule } from '../due-work/store.ts';
import { blockSeconds, pollSeconds, timeOfBlock } from '../chain/chain.ts';
import { isNetwork, type NetworkId } from '../chain/networks.ts';
import { addSeconds } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import type { Handler } from '../../platform/job.ts';
import type { Exchange } from './exchange.ts';
import { expirePayments } from './expire.ts';
import { expirePayment, observeChain, requotePayment, sendRefund, settlePayment } from './jobs.ts';
import { observeNetwork } from './observe.ts';
import { sendRefunds } from './refund.ts';
import { requotePayments } from './requote.ts';
import { settlePayments } from './settle.ts';
import { blocksToWait } from './transfers.ts';

/** The handlers of payments; `conversions` is where received coins become the settlement coin. */
export const paymentHandlers = (conversions: Exchange): readonly Handler[] => [
  { job: expirePayment, handle: expirePayments },
  { job: requotePayment, handle: requotePayments },
  { job: settlePayment, handle: (ctx, ids) => settlePayments(ctx, ids, conversions) },
  { job: sendRefund, handle: sendRefunds },
  { job: observeChain, handle: observeNetworks },
];

/**
 * Looks at each network and comes back with its next block, or at once while there is more to read. The key is a network, which is
 * looked at for ever, or `network/WORLD`, which is looked at while a transfer there has to confirm.
 */
async function observeNetworks(ctx: Context, keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    const [network = ''] = key.split('/', 1);
    if (!isNetwork(network)) continue;
    const startedAt = ctx.now();
    const isBehind = await observeNetwork(ctx, network);
    const runAt = isBehind ? ctx.now() : await timeOfNextLook(ctx, network);
    if (runAt === null) await finish(ctx.db, observeChain, [key], startedAt);
    else await reschedule(ctx.db, observeChain, key, { startedAt, runAt, clock: ctx.clock });
  }
}

/** Nobody waits for what is shown meanwhile while a clock is held, so the next look is at what happens next, when it happens. */
async function timeOfNextLook(ctx: Context, network: NetworkId): Promise<Date | null> {
  const soon = addSeconds(ctx.now(), pollSeconds(ctx, network));
  if (ctx.clock === null) return soon;
  const blocks = await blocksToWait(ctx.db, ctx.clock.world, network);
  if (blocks === null) return null;
  if (ctx.clock.heldUntil !== null) return (await timeOfBlock(ctx, network, blocks)) ?? soon;
  return addSeconds(ctx.now(), Math.min(pollSeconds(ctx, network), blocks * blockSeconds(ctx, network)));
}
