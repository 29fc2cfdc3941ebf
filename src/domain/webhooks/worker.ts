import { schedule } from '../schedule/store.ts';
import { dispatchEvent } from '../outbox/jobs.ts';
import { addSeconds } from '../../platform/clock.ts';
import type { Handler } from '../../platform/job.ts';
import { deliverDue } from './deliveries/deliver.ts';
import type { WebhookClient } from './client/client.ts';
import { createDeliveries } from './deliveries/create.ts';
import { maintainDeliveryPartitions } from './deliveries/jobs.ts';
import { deliverWebhook, notifyDisabled } from './endpoints/jobs.ts';
import { maintainPartitions } from './deliveries/partitions.ts';
import { sweepEndpoints } from './endpoints/sweep.ts';
import { sendDisabledNotice } from './endpoints/notify-disabled.ts';

const PARTITIONS_EVERY_SECONDS = 3_600;

/** The handlers of webhooks; `exchange` is the way out, `receiver` the URL that takes every event where it is not null. */
export function webhookHandlers(exchange: WebhookClient, receiver: string | null): readonly Handler[] {
  return [
    { job: dispatchEvent, handle: (ctx, ids) => createDeliveries(ctx, ids, receiver) },
    {
      job: deliverWebhook,
      async handle(ctx, ids) {
        for (const id of ids) await deliverDue(ctx, exchange, id, receiver);
      },
    },
    {
      job: notifyDisabled,
      async handle(ctx, ids) {
        for (const id of ids) await sendDisabledNotice(ctx, id);
      },
    },
    {
      job: maintainDeliveryPartitions,
      async handle(ctx, [key = 'all']) {
        await maintainPartitions(ctx);
        await sweepEndpoints(ctx);
        const runAt = addSeconds(ctx.now(), PARTITIONS_EVERY_SECONDS);
        await schedule(ctx.db, [{ job: maintainDeliveryPartitions, key, runAt, testClock: null }]);
      },
    },
  ];
}
