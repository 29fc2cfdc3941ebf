import type { Handler } from '../schedule/job.ts';
import type { Mailer } from '../../platform/mail.ts';
import { deliverDue } from './deliveries/deliver.ts';
import type { WebhookClient } from './client/client.ts';
import { maintainDeliveryPartitions } from './deliveries/jobs.ts';
import { deliverWebhook, notifyDisabled } from './endpoints/jobs.ts';
import { maintainPartitions } from './deliveries/partitions.ts';
import { sweepRedeliveryRequests } from './deliveries/redelivery-requests.ts';
import { sweepEndpoints } from './endpoints/sweep.ts';
import { sendDisabledNotice } from './endpoints/notify-disabled.ts';

export interface WebhookAdapters {
  readonly webhooks: WebhookClient;
  /** The URL that receives every event, overriding the merchant's endpoints; null: no override. */
  readonly receiver: string | null;
  /** Notifies merchants; null: no mail is sent. */
  readonly mailer: Mailer | null;
}

/** The handlers of webhooks. */
export function webhookHandlers({ webhooks, receiver, mailer }: WebhookAdapters): readonly Handler[] {
  return [
    {
      job: deliverWebhook,
      async handle(ctx, ids) {
        for (const id of ids) await deliverDue(ctx, webhooks, id, { receiver });
      },
    },
    {
      job: notifyDisabled,
      async handle(ctx, ids) {
        for (const id of ids) await sendDisabledNotice(ctx, { mailer }, id);
      },
    },
    {
      job: maintainDeliveryPartitions,
      async handle(ctx) {
        await maintainPartitions(ctx);
        await sweepEndpoints(ctx);
        await sweepRedeliveryRequests(ctx);
      },
    },
  ];
}
