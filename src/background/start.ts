import { randomUUID } from 'node:crypto';
import { DrainWatch } from '../domain/ops/drain.ts';
import { enqueueWith } from '../domain/schedule/enqueue.ts';
import type { Config } from '../platform/config/config.ts';
import type { Context } from '../platform/context.ts';
import { mayWork } from '../platform/database-clock/report.ts';
import { messageOf } from '../platform/log.ts';
import { dispatchEvent } from '../domain/outbox/jobs.ts';
import { expirePayment, settlePayment } from '../domain/payments/lifecycle/jobs.ts';
import { sendReceipt } from '../domain/receipts/jobs.ts';
import { followServed } from '../domain/payments/sync/served.ts';
import { closeAdapters, createAdapters } from '../domain/adapters.ts';
import { deliverWebhook } from '../domain/webhooks/endpoints/jobs.ts';
import { QUEUE_NAMES, type QueueName } from '../domain/schedule/job.ts';
import { startBeats } from './beats.ts';
import { QueueEnqueuer } from './enqueuer.ts';
import { openQueueEngine, type JobWorker, type OperatedQueue, type QueueEngine } from './queues.ts';
import { countQueues, SCRAPE_MS, type QueueCounts } from './queue-status.ts';
import { sweepFinished } from './retention.ts';
import { Runner } from './runs/runner.ts';
import { Runs } from './runs/runs.ts';
import { Slots } from './runs/slots.ts';
import { sweepLoop } from './sweep.ts';
import { createHandlers, scheduleRecurring } from './workers.ts';

export interface Background {
  readonly engine: QueueEngine['name'];
  /** What runs and has ended in the queues that this process serves. */
  readonly runs: Runs;
  /** What every queue holds. Rejects when their server is away. */
  countQueues(): Promise<QueueCounts[]>;
  /** Takes no new work, lets what is under way end, closes everything that it opened. */
  close(): Promise<void>;
}

/** A delivery mostly waits for a merchant's server; many that hang must not delay one that responds. */
const DELIVERIES_FACTOR = 16;

/** Every mail opens a connection, and mail servers let one client have few at once. */
const MAILS_AT_ONCE = 8;

/**
 * Their jobs are sets that a few statements move: more sets at once wait for each other's connections and for
 * the processor, and the jobs behind them wait for all.
 */
const SETS: readonly QueueName[] = [expirePayment.queue, settlePayment.queue];
const SETS_AT_ONCE = 8;
/** Events that are recorded while this many dispatches run share the next one. */
const DISPATCHES_AT_ONCE = 4;

function concurrencyOf(queue: QueueName, { workerConcurrency }: Config): number {
  if (queue === sendReceipt.queue) return Math.min(workerConcurrency, MAILS_AT_ONCE);
  if (queue === dispatchEvent.queue) return Math.min(workerConcurrency, DISPATCHES_AT_ONCE);
  if (SETS.includes(queue)) return Math.min(workerConcurrency, SETS_AT_ONCE);
  return queue === deliverWebhook.queue ? workerConcurrency * DELIVERIES_FACTOR : workerConcurrency;
}

/**
 * A merchant gets a slot while it holds fewer than this many times the free ones: at most half of the slots
 * of deliveries, which hanging receivers keep for long, and three quarters of the others.
 */
const DELIVERIES_SHARE_FACTOR = 1;
const SHARE_FACTOR = 3;

/** How many endpoints of a merchant are tried at once in any case. */
const DELIVERIES_BURST = 64;
/** A job that held its slot for this part of the deadline of a request probably waited for it. */
const LONG_SHARE = 2 / 3;

function slotsOf(queue: QueueName, config: Config): Slots {
  const size = concurrencyOf(queue, config);
  if (queue !== deliverWebhook.queue) return new Slots(size, { factor: SHARE_FACTOR });
  const { webhookTimeoutSeconds } = config;
  // What a merchant's share of slots can begin where every request waits for its deadline.
  const gapMs = (webhookTimeoutSeconds * 1000) / (size / 2);
  const longMs = LONG_SHARE * webhookTimeoutSeconds * 1000;
  return new Slots(size, {
    factor: DELIVERIES_SHARE_FACTOR,
    bucket: { burst: DELIVERIES_BURST, gapMs, longMs },
  });
}

/** Runs the workers of the configured queues, the sweep and the recurring jobs. */
export async function startBackground(ctx: Context): Promise<Background> {
  const { config, log } = ctx;
  const networks = await followServed(ctx);
  const adapters = createAdapters(config, { served: networks.served });
  const handlers = createHandlers(adapters);
  // Before a connection is open, because without Postgres this throws.
  await scheduleRecurring(ctx, handlers);
  const engine = openQueueEngine(config, log);
  const queues = new Map(QUEUE_NAMES.map((name) => [name, engine.openQueue(name)]));
  const enqueuer = new QueueEnqueuer((name) => Promise.resolve(queueIn(queues, name)), ctx);
  const stopEnqueueing = enqueueWith(ctx.db, enqueuer);
  const served = QUEUE_NAMES.filter((name) => config.workerQueues?.includes(name) ?? true);
  const slots = new Map(served.map((name) => [name, slotsOf(name, config)]));
  const runs = new Runs(served, () => ctx.systemNow());
  const drain = new DrainWatch();
  const worker = randomUUID();
  const runner = new Runner(ctx, { handlers, slots, enqueuer, runs, drain, worker });
  const workers = served.map((queue) =>
    engine.openWorker(queue, (job) => runner.run(job), concurrencyOf(queue, config)),
  );
  const stop = new AbortController();
  const jobs = new Map([...handlers.values()].map(({ job }) => [job.name, job]));
  const mayTake = whileClockIsRight(ctx, workers);
  const beats = startBeats(ctx, worker, () => !stop.signal.aborted && mayTake());
  const sweep = sweepLoop(ctx, { beats, jobs, enqueuer, drain, mayWork: mayTake }, stop.signal);
  // On Redis, BullMQ deletes them itself.
  const stopRetention =
    engine.name === 'postgres'
      ? sweepFinished([...queues.values()], log, () => beats.standing.leads)
      : () => Promise.resolve();
  return {
    engine: engine.name,
    runs,
    countQueues: () => countQueues([...queues.values()], SCRAPE_MS),
    async close() {
      stop.abort();
      networks.close();
      const closing = Promise.all(workers.map((one) => one.close()));
      // After the workers know that they are closed: one that works asks an ended connection again and again.
      const isAway = engine.stopWaiting();
      await closing;
      await sweep;
      stopEnqueueing();
      if (!isAway) await enqueuer.close();
      // Until then its beats go on: what is under way would be taken over, and sent twice.
      await beats.close();
      await stopRetention();
      await closeAdapters(adapters);
      await Promise.all([...queues.values()].map((queue) => queue.close()));
      await engine.close();
    },
  };
}

/**
 * Returns whether this process may take work, for the sweep to ask before each pass. While its clock is wrong
 * it takes no jobs of the queues either: its workers are paused, what they have begun ends, and other
 * processes take the rest. When the clock is right, they go on.
 */
function whileClockIsRight(ctx: Context, workers: readonly JobWorker[]): () => boolean {
  let isWorking = true;
  return () => {
    if (mayWork(ctx.clock) === isWorking) return isWorking;
    isWorking = !isWorking;
    for (const worker of workers)
      Promise.resolve(isWorking ? worker.resume() : worker.pause(true)).catch((error: unknown) =>
        ctx.log.error('a queue could not be paused or resumed', {
          queue: worker.name,
          error: messageOf(error),
        }),
      );
    ctx.log.info(isWorking ? 'work goes on' : 'no work is taken until the clock is right');
    return isWorking;
  };
}

function queueIn(queues: ReadonlyMap<QueueName, OperatedQueue>, name: QueueName): OperatedQueue {
  const queue = queues.get(name);
  if (queue === undefined) throw new Error(`the queue ${name} is not open`);
  return queue;
}
