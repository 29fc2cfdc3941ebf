import { NETWORK_IDS } from '../domain/chain/networks.ts';
import { ensureScheduled } from '../domain/due-work/store.ts';
import { sweepIdempotencyKeys } from '../domain/idempotency/jobs.ts';
import { reconcileWork, sweepHistory } from '../domain/ops/jobs.ts';
import { observeChain } from '../domain/payments/jobs.ts';
import { keepDeliveryPartitions } from '../domain/webhooks/jobs.ts';
import type { Context } from '../platform/context.ts';

/**
 * Declares the recurring work. It is due work like any other: each handler writes its next time itself, so nothing that happens to a
 * queue can end it. Declaring it again changes nothing.
 */
export async function scheduleRecurring(ctx: Context): Promise<void> {
  const runAt = ctx.now();
  await ensureScheduled(ctx.db, [
    ...NETWORK_IDS.map((network) => ({ job: observeChain, key: network, runAt })),
    { job: sweepIdempotencyKeys, key: 'all', runAt },
    { job: reconcileWork, key: 'all', runAt },
    { job: keepDeliveryPartitions, key: 'all', runAt },
    { job: sweepHistory, key: 'all', runAt },
  ]);
}
