import { fanOutEvent } from '../events/jobs.ts';
import type { Handler } from '../../platform/job.ts';
import { deliver } from './deliver.ts';
import type { Exchange } from './exchange.ts';
import { fanOutEvents } from './fan-out.ts';
import { deliverWebhook } from './jobs.ts';

/** The handlers of webhooks; `exchange` is the way out, `receiver` the URL that takes every event where it is not null. */
export function webhookHandlers(exchange: Exchange, receiver: string | null): readonly Handler[] {
  return [
    { job: fanOutEvent, handle: (ctx, ids) => fanOutEvents(ctx, ids, receiver) },
    {
      job: deliverWebhook,
      async handle(ctx, ids) {
        for (const id of ids) await deliver(ctx, exchange, id, receiver);
      },
    },
  ];
}
