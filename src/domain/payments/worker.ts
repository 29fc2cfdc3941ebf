import { finish, reschedule } from '../schedule/store.ts';
import { blockSeconds, pollSeconds, timeOfBlock } from '../chain/chain.ts';
import { isNetwork, type NetworkId } from '../chain/networks.ts';
import { addSeconds } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import type { Handler } from '../../platform/job.ts';
import type { CurrencyExchange } from './processing/currency-exchange.ts';
import { expirePayments } from './processing/expire.ts';
import { expirePayment, syncChain, requotePayment, sendRefund, settlePayment } from './lifecycle/jobs.ts';
import { syncNetwork } from './processing/sync-network.ts';
import { sendRefunds } from './refunds/refund.ts';
import { requotePayments } from './processing/requote.ts';
import { settlePayments } from './processing/settle.ts';
import { blocksToWait } from './transfers/store.ts';

/** The handlers of payments; `conversions` is where received coins become the settlement coin. */
export const paymentHandlers = (conversions: CurrencyExchange): readonly Handler[] => [
  { job: expirePayment, handle: expirePayments },
  { job: requotePayment, handle: requotePayments },
  { job: settlePayment, handle: (ctx, ids) => settlePayments(ctx, ids, conversions) },
  { job: sendRefund, handle: sendRefunds },
  { job: syncChain, handle: syncNetworks },
];

/**
 * Looks at each network and comes back with its next block, or at once while there is more to read. The key is a network, which is
 * looked at for ever, or `network/WORLD`, which is looked at while a transfer there has to confirm.
 */
async function syncNetworks(ctx: Context, keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    const [network = ''] = key.split('/', 1);
    if (!isNetwork(network)) continue;
    const startedAt = ctx.now();
    const isBehind = await syncNetwork(ctx, network);
    const runAt = isBehind ? ctx.now() : await nextSyncAt(ctx, network);
    if (runAt === null) await finish(ctx.db, syncChain, [key], startedAt);
    else await reschedule(ctx.db, syncChain, key, { startedAt, runAt, testClock: ctx.testClock });
  }
}

/** Nobody waits for what is shown meanwhile while a clock is held, so the next look is at what happens next, when it happens. */
async function nextSyncAt(ctx: Context, network: NetworkId): Promise<Date | null> {
  const soon = addSeconds(ctx.now(), pollSeconds(ctx, network));
  if (ctx.testClock === null) return soon;
  const blocks = await blocksToWait(ctx.db, ctx.testClock.id, network);
  if (blocks === null) return null;
  if (ctx.testClock.frozenUntil !== null) return (await timeOfBlock(ctx, network, blocks)) ?? soon;
  return addSeconds(ctx.now(), Math.min(pollSeconds(ctx, network), blocks * blockSeconds(ctx, network)));
}
