import { fanOutEvent } from '../events/jobs.ts';
import type { Handler } from '../../platform/job.ts';
import { deliver } from './deliver.ts';
import type { Exchange } from './exchange.ts';
import { fanOutEvents } from './fan-out.ts';
import { deliverWebhook } from './jobs.ts';

/** The handlers of webhooks; `exchange` is the way out. */
export function webhookHandlers(exchange: Exchange): readonly Handler[] {
  return [
    { job: fanOutEvent, handle: fanOutEvents },
    {
      job: deliverWebhook,
      async handle(ctx, ids) {
        for (const id of ids) await deliver(ctx, exchange, id);
      },
    },
  ];
}
