import { schedule } from '../schedule/store.ts';
import { addSeconds } from '../../platform/clock.ts';
import type { Handler } from '../../platform/job.ts';
import { deliverDue } from './deliveries/deliver.ts';
import type { WebhookClient } from './client/client.ts';
import { maintainDeliveryPartitions } from './deliveries/jobs.ts';
import { deliverWebhook, notifyDisabled } from './endpoints/jobs.ts';
import { maintainPartitions } from './deliveries/partitions.ts';
import { sweepEndpoints } from './endpoints/sweep.ts';
import { sendDisabledNotice } from './endpoints/notify-disabled.ts';

/** How webhooks leave the service. */
export interface WebhookAdapters {
  readonly webhooks: WebhookClient;
  /** Where every event goes, whatever the merchant has set; null: where the merchant says. */
  readonly receiver: string | null;
}

const PARTITIONS_EVERY_SECONDS = 3_600;

/** The handlers of webhooks. */
export function webhookHandlers({ webhooks, receiver }: WebhookAdapters): readonly Handler[] {
  return [
    {
      job: deliverWebhook,
      async handle(ctx, ids) {
        for (const id of ids) await deliverDue(ctx, webhooks, id, receiver);
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
