import type { Config } from '../platform/config/config.ts';
import type { Context } from '../platform/context.ts';
import { sendReceipt } from '../domain/receipts/jobs.ts';
import { closeAdapters, createAdapters } from '../domain/adapters.ts';
import { deliverWebhook } from '../domain/webhooks/endpoints/jobs.ts';
import { QUEUE_NAMES, type Job, type QueueName } from '../platform/job.ts';
import { openQueueEngine, type QueueEngine } from './queues.ts';
import { relayLoop } from './relay.ts';
import { runJob } from './run-job.ts';
import { scheduleRecurring } from './recurring.ts';
import { Slots } from './slots.ts';
import { Turns } from './turns.ts';
import { createHandlers } from './workers.ts';

export interface Background {
  readonly engine: QueueEngine['name'];
  /** Takes no new work, lets what is under way end, closes everything that it opened. */
  close(): Promise<void>;
}

/**
 * A delivery mostly waits for a merchant's server, up to the deadline; many that hang must not delay
 * one that responds.
 */
const DELIVERIES_FACTOR = 16;

/** Every mail opens a connection, and mail servers let one client have few at once. */
const MAILS_AT_ONCE = 8;

function concurrencyOf(queue: QueueName, { workerConcurrency }: Config): number {
  if (queue === sendReceipt.queue) return Math.min(workerConcurrency, MAILS_AT_ONCE);
  return queue === deliverWebhook.queue ? workerConcurrency * DELIVERIES_FACTOR : workerConcurrency;
}

/**
 * A merchant gets a slot while it holds fewer than this many times the free ones: at most half of the slots
 * of deliveries, which hanging receivers keep for long, and three quarters of the others.
 */
const DELIVERIES_SHARE_FACTOR = 1;
const SHARE_FACTOR = 3;

function slotsOf(queue: QueueName, config: Config): Slots {
  const factor = queue === deliverWebhook.queue ? DELIVERIES_SHARE_FACTOR : SHARE_FACTOR;
  return new Slots(concurrencyOf(queue, config), { factor });
}

/**
 * Runs the workers of the configured queues, the relay and the recurring work. `beat` is called whenever the
 * relay has made a round: its silence means that this process moves nothing any more.
 */
export async function startBackground(ctx: Context, beat: () => void = () => undefined): Promise<Background> {
  const { config, log } = ctx;
  const adapters = createAdapters(config);
  const handlers = createHandlers(adapters);
  // Before a connection is open, because without Postgres this throws.
  await scheduleRecurring(ctx, handlers);
  const engine = openQueueEngine(config, log);
  const queues = new Map(QUEUE_NAMES.map((name) => [name, engine.openQueue(name)]));
  const served = QUEUE_NAMES.filter((name) => config.workerQueues?.includes(name) ?? true);
  const turns = new Turns(new Map(served.map((name) => [name, slotsOf(name, config)])));
  // Jobs that share slots are handed over by the processes that have such slots.
  const jobs: ReadonlyMap<string, Job> = new Map(
    [...handlers.values()]
      .filter(({ job }) => job.keyNames === null || served.includes(job.queue))
      .map(({ job }) => [job.name, job]),
  );
  const workers = served.map((queue) =>
    engine.openWorker(
      queue,
      ({ name, data }) =>
        turns.runInSlot(ctx, { queue, name, data }, () => runJob(ctx, handlers, name, data)),
      concurrencyOf(queue, config),
    ),
  );
  const stop = new AbortController();
  const relay = relayLoop(ctx, { jobs, queues, turns }, stop.signal, beat);
  return {
    engine: engine.name,
    async close() {
      stop.abort();
      await relay;
      await Promise.all(workers.map((worker) => worker.close()));
      await closeAdapters(adapters);
      await Promise.all([...queues.values()].map((queue) => queue.close()));
      await engine.close();
    },
  };
}
