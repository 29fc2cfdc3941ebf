import { NETWORK_IDS } from '../domain/chain/networks.ts';
import { ensureScheduled } from '../domain/schedule/store.ts';
import { sweepIdempotencyKeys } from '../domain/idempotency/jobs.ts';
import { reconcileWork, sweepHistory } from '../domain/ops/jobs.ts';
import { syncChain } from '../domain/payments/lifecycle/jobs.ts';
import { maintainDeliveryPartitions } from '../domain/webhooks/deliveries/jobs.ts';
import type { Context } from '../platform/context.ts';

/**
 * Declares the recurring work. It is due work like any other: each handler writes its next time itself, so nothing that happens to a
 * queue can end it. Declaring it again changes nothing.
 */
export async function scheduleRecurring(ctx: Context): Promise<void> {
  const runAt = ctx.now();
  await ensureScheduled(ctx.db, [
    ...NETWORK_IDS.map((network) => ({ job: syncChain, key: network, runAt, testClock: null })),
    { job: sweepIdempotencyKeys, key: 'all', runAt, testClock: null },
    { job: reconcileWork, key: 'all', runAt, testClock: null },
    { job: maintainDeliveryPartitions, key: 'all', runAt, testClock: null },
    { job: sweepHistory, key: 'all', runAt, testClock: null },
  ]);
}
