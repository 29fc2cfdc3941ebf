import { schedule } from '../schedule/store.ts';
import { addSeconds } from '../../platform/clock.ts';
import type { Handler } from '../../platform/job.ts';
import { deliverDue } from './deliveries/deliver.ts';
import type { WebhookClient } from './client/client.ts';
import { deliverWebhook, keepDeliveryPartitions, notifyDisabled } from './endpoints/jobs.ts';
import { keepPartitions } from './deliveries/partitions.ts';
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
      job: keepDeliveryPartitions,
      async handle(ctx, [key = 'all']) {
        await keepPartitions(ctx);
        await sweepEndpoints(ctx);
        const runAt = addSeconds(ctx.now(), PARTITIONS_EVERY_SECONDS);
        await schedule(ctx.db, [{ job: keepDeliveryPartitions, key, runAt, testClock: null }]);
      },
    },
  ];
}
