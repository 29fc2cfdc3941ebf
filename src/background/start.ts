import type { Config } from '../platform/config/config.ts';
import type { Context } from '../platform/context.ts';
import { dispatchEvent } from '../domain/outbox/jobs.ts';
import { expirePayment, settlePayment } from '../domain/payments/lifecycle/jobs.ts';
import { sendReceipt } from '../domain/receipts/jobs.ts';
import { closeAdapters, createAdapters } from '../domain/adapters.ts';
import { deliverWebhook } from '../domain/webhooks/endpoints/jobs.ts';
import { QUEUE_NAMES, type Job, type QueueName } from '../platform/job.ts';
import { openQueueEngine, type QueueEngine } from './queues.ts';
import { countQueues, SCRAPE_MS, type QueueCounts } from './queue-status.ts';
import { openHandovers, SPACING, type HandoverTargets } from './relay/hand-over.ts';
import { LocalRuns, type CarriedJob } from './relay/local-runs.ts';
import { Lanes } from './shares/lanes.ts';
import { relayLoop } from './relay/relay.ts';
import { QueueRoom } from './relay/room.ts';
import { sweepFinished } from './retention.ts';
import { runJob } from './run-job.ts';
import { scheduleRecurring } from './recurring.ts';
import { Runs } from './runs.ts';
import { shiftOf } from './shift.ts';
import { Slots } from './shares/slots.ts';
import { Turns } from './shares/turns.ts';
import { createHandlers } from './workers.ts';

export interface Background {
  readonly engine: QueueEngine['name'];
  /** What runs and has ended in the queues that this process serves. */
  readonly runs: Runs;
  /** What every queue holds. Rejects when their server is away. */
  countQueues(): Promise<QueueCounts[]>;
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

/**
 * Their jobs are sets that a few statements move: more sets at once wait for each other's connections and for
 * the processor, and what comes behind them waits for all.
 */
const SETS: readonly QueueName[] = [expirePayment.queue, settlePayment.queue, dispatchEvent.queue];
const SETS_AT_ONCE = 8;

function concurrencyOf(queue: QueueName, { workerConcurrency }: Config): number {
  if (queue === sendReceipt.queue) return Math.min(workerConcurrency, MAILS_AT_ONCE);
  if (SETS.includes(queue)) return Math.min(workerConcurrency, SETS_AT_ONCE);
  return queue === deliverWebhook.queue ? workerConcurrency * DELIVERIES_FACTOR : workerConcurrency;
}

/**
 * A merchant gets a slot while it holds fewer than this many times the free ones: at most half of the slots
 * of deliveries, which hanging receivers keep for long, and three quarters of the others.
 */
const DELIVERIES_SHARE_FACTOR = 1;
const SHARE_FACTOR = 3;

/** So many endpoints of a merchant are always tried at once. */
const DELIVERIES_BURST = 64;
/** A job that held its slot for this part of the deadline of a request probably waited for it. */
const LONG_SHARE = 2 / 3;

function slotsOf(queue: QueueName, config: Config): Slots {
  const size = concurrencyOf(queue, config);
  if (queue !== deliverWebhook.queue) return new Slots(size, { factor: SHARE_FACTOR });
  // What a merchant's share of slots can begin where every request waits for its deadline.
  const perSecond = size / 2 / config.webhookTimeoutSeconds;
  const longMs = LONG_SHARE * config.webhookTimeoutSeconds * 1000;
  const pace = { burst: DELIVERIES_BURST, perSecond, longMs };
  return new Slots(size, { factor: DELIVERIES_SHARE_FACTOR, pace });
}

/** Runs the workers of the configured queues, the relay and the recurring work. */
export async function startBackground(ctx: Context): Promise<Background> {
  const { config, log } = ctx;
  const adapters = createAdapters(config);
  const handlers = createHandlers(adapters);
  // Before a connection is open, because without Postgres this throws.
  await scheduleRecurring(ctx, handlers);
  const engine = openQueueEngine(config, log);
  const queues = new Map(QUEUE_NAMES.map((name) => [name, engine.openQueue(name)]));
  const served = QUEUE_NAMES.filter((name) => config.workerQueues?.includes(name) ?? true);
  const turns = new Turns(new Map(served.map((name) => [name, slotsOf(name, config)])), queues);
  // Jobs that share slots are handed over by the processes that have such slots.
  const jobs: ReadonlyMap<string, Job> = new Map(
    [...handlers.values()]
      .filter(({ job }) => job.keyNames === null || served.includes(job.queue))
      .map(({ job }) => [job.name, job]),
  );
  const runs = new Runs(served, () => ctx.systemNow());
  const lanes = new Lanes(ctx.db);
  const runCarried = (carried: CarriedJob, base: Context = ctx) =>
    turns.runInSlots(base, carried, (own) => {
      const { queue, name } = carried;
      const db = own.merchant === undefined ? base.db : lanes.of(own.merchant);
      return runs.watch(queue, name, own.keys, () => runJob({ ...base, db }, handlers, name, own));
    });
  const workers = served.map((queue) =>
    engine.openWorker(
      queue,
      ({ name, data }) => runCarried({ queue, name, data }),
      concurrencyOf(queue, config),
    ),
  );
  const { passMs, handoverMs } = SPACING[engine.name];
  const targets: HandoverTargets = { jobs, queues, room: new QueueRoom(jobs), turns };
  const handovers = openHandovers(ctx, targets, handoverMs);
  const local = new LocalRuns(served, (carried) => runCarried(carried, { ...ctx, handover: handovers }));
  const stop = new AbortController();
  const mayWork = shiftOf(ctx, workers);
  const relay = relayLoop(ctx, { ...targets, local, passMs, mayWork }, stop.signal);
  // On Redis, BullMQ deletes them itself.
  const stopSweep =
    engine.name === 'postgres' ? sweepFinished([...queues.values()], log) : () => Promise.resolve();
  return {
    engine: engine.name,
    runs,
    countQueues: () => countQueues([...queues.values()], SCRAPE_MS),
    async close() {
      stop.abort();
      handovers.close();
      const closing = Promise.all(workers.map((worker) => worker.close()));
      // After the workers know that they are closed: one that works asks an ended connection again and again.
      const isAway = engine.stopWaiting?.() ?? false;
      // A pass may wait for a command that was lost with its connection; what it leased is due again later.
      if (!isAway) await relay;
      await local.settle();
      await handovers.settle();
      await closing;
      await stopSweep();
      await closeAdapters(adapters);
      await Promise.all([...queues.values()].map((queue) => queue.close()));
      await engine.close();
    },
  };
}
