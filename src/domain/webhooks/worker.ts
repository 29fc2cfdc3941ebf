import { schedule } from '../due-work/store.ts';
import { fanOutEvent } from '../events/jobs.ts';
import { addSeconds } from '../../platform/clock.ts';
import type { Handler } from '../../platform/job.ts';
import { deliverDue } from './deliver.ts';
import type { Exchange } from './exchange.ts';
import { fanOutEvents } from './fan-out.ts';
import { deliverWebhook, keepDeliveryPartitions, tellSwitchedOff } from './jobs.ts';
import { keepPartitions } from './partitions.ts';
import { sweepEndpoints } from './sweep-endpoints.ts';
import { tellOfSwitchOff } from './tell-switched-off.ts';

const PARTITIONS_EVERY_SECONDS = 3_600;

/** The handlers of webhooks; `exchange` is the way out, `receiver` the URL that takes every event where it is not null. */
export function webhookHandlers(exchange: Exchange, receiver: string | null): readonly Handler[] {
  return [
    { job: fanOutEvent, handle: (ctx, ids) => fanOutEvents(ctx, ids, receiver) },
    {
      job: deliverWebhook,
      async handle(ctx, ids) {
        for (const id of ids) await deliverDue(ctx, exchange, id, receiver);
      },
    },
    {
      job: tellSwitchedOff,
      async handle(ctx, ids) {
        for (const id of ids) await tellOfSwitchOff(ctx, id);
      },
    },
    {
      job: keepDeliveryPartitions,
      async handle(ctx, [key = 'all']) {
        await keepPartitions(ctx);
        await sweepEndpoints(ctx);
        const runAt = addSeconds(ctx.now(), PARTITIONS_EVERY_SECONDS);
        await schedule(ctx.db, [{ job: keepDeliveryPartitions, key, runAt }]);
      },
    },
  ];
}
