import type { Handler } from '../../platform/job.ts';
import type { Mailer } from '../../platform/mail.ts';
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
  /** Notifies merchants; null: no mail is sent. */
  readonly mailer: Mailer | null;
}

/** The handlers of webhooks. */
export function webhookHandlers({ webhooks, receiver, mailer }: WebhookAdapters): readonly Handler[] {
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
        for (const id of ids) await sendDisabledNotice(ctx, { mailer }, id);
      },
    },
    {
      job: maintainDeliveryPartitions,
      async handle(ctx) {
        await maintainPartitions(ctx);
        await sweepEndpoints(ctx);
      },
    },
  ];
}
