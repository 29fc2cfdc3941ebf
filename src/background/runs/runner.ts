import type { DrainWatch } from '../../domain/ops/drain.ts';
import { LEASE_SECONDS } from '../../domain/schedule/beats.ts';
import { leaseDue, type LeasedJob } from '../../domain/schedule/lease.ts';
import { addSeconds } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import type { Handler, Handlers, Job, QueueName } from '../../domain/schedule/job.ts';
import { messageOf } from '../../platform/log.ts';
import { leasedTotal } from '../../platform/metrics/measures.ts';
import type { QueueEnqueuer } from '../enqueuer.ts';
import { checkData, chunksOf, keysOfRun, unitsOf, type JobData, type RunReport } from './job-data.ts';
import { runJob } from './run-job.ts';
import type { Runs } from './runs.ts';
import type { Slots } from './slots.ts';

/** How many of a batch's jobs run at once where each runs alone. */
const ALONE_AT_ONCE = 8;
/** The most keys that a queue's job shows. */
const MAX_SHOWN = 200;

/** A job of a queue, as BullMQ passes it to its processor. */
export interface QueueJob {
  readonly name: string;
  readonly data: JobData;
  updateData(data: JobData): Promise<void>;
  log(line: string): Promise<unknown>;
}

export interface RunnerOptions {
  readonly handlers: Handlers;
  readonly slots: ReadonlyMap<QueueName, Slots>;
  readonly enqueuer: QueueEnqueuer;
  readonly runs: Runs;
  readonly drain: DrainWatch;
  readonly worker: string;
}

/** Runs the jobs of queues: each leases what is due, as much as this process has slots for, and runs that. */
export class Runner {
  readonly #ctx: Context;
  readonly #options: RunnerOptions;
  /** By the name of a job, its latest lease: one runs at a time. */
  readonly #leasing = new Map<string, Promise<unknown>>();
  /** Where the next walk over merchants begins. */
  readonly #after = new Map<string, string>();
  /** Jobs of which more is due than their merchants have slots for: they run when a slot is free. */
  readonly #short = new Map<QueueName, Set<Job>>();

  constructor(ctx: Context, options: RunnerOptions) {
    this.#ctx = { ...ctx, worker: options.worker };
    this.#options = options;
  }

  /** Runs one job of a queue. Throws the first error of its keys once all have run. */
  async run(queueJob: QueueJob): Promise<RunReport> {
    const handler = this.#options.handlers.get(queueJob.name);
    if (handler === undefined) throw new Error(`no handler for the job ${queueJob.name}`);
    checkData(queueJob.data);
    if (await this.#options.drain.isOn(this.#ctx.db)) return report('workers are drained', []);
    const leased = await this.#leaseInTurn(handler.job);
    if (leased === null) return report('no slot was free', []);
    if (leased.length === 0) return report('nothing was due', []);
    return this.#runAll(queueJob, handler, leased);
  }

  async #runAll(queueJob: QueueJob, handler: Handler, leased: readonly LeasedJob[]): Promise<RunReport> {
    const { job } = handler;
    const startedAt = performance.now();
    const shown = show(queueJob, leased);
    const errors: unknown[] = [];
    const runUnit = async (unit: readonly LeasedJob[]) => {
      try {
        await this.#options.runs.watch(
          job.queue,
          job.name,
          unit.map(({ key }) => key),
          () => runJob(this.#ctx, handler, unit),
        );
      } catch (error) {
        errors.push(error);
      } finally {
        if (job.batch === 1)
          for (const holder of holdersOf(job, unit)) this.#release(job.queue, holder, startedAt);
      }
    };
    const units = unitsOf(job, leased);
    const atOnce = job.batch > 1 ? ALONE_AT_ONCE : units.length;
    for (const some of chunksOf(units, atOnce)) await Promise.all(some.map(runUnit));
    if (job.batch > 1) this.#release(job.queue, null, startedAt);
    await Promise.all([shown, tell(queueJob, leased.length, startedAt, errors)]);
    if (errors.length > 0) throw errors[0];
    return report('done', leased);
  }

  #leaseInTurn(job: Job): Promise<readonly LeasedJob[] | null> {
    const before = this.#leasing.get(job.name) ?? Promise.resolve();
    const leasing = before.then(() => this.#lease(job));
    this.#leasing.set(
      job.name,
      leasing.catch(() => undefined),
    );
    return leasing;
  }

  /** Leases what is due and takes slots for it; null: none is free. What is left is run by another run. */
  async #lease(job: Job): Promise<readonly LeasedJob[] | null> {
    const { enqueuer, worker } = this.#options;
    const slots = this.#slotsOf(job.queue);
    const count = job.batch > 1 ? job.batch : Math.min(keysOfRun(job), slots.free);
    if (slots.free === 0) {
      this.#awaitSlot(job);
      return null;
    }
    const now = this.#ctx.now();
    const leaseEnd = addSeconds(now, LEASE_SECONDS);
    const after = this.#after.get(job.name) ?? '';
    const shared = job.perMerchant ? { slots: slots.use } : {};
    const leased = await leaseDue(this.#ctx.db, {
      job: job.name,
      count,
      now,
      leaseEnd,
      worker,
      after,
      ...shared,
    });
    this.#after.set(job.name, leased.after);
    for (const holder of holdersOf(job, leased.jobs)) slots.take(holder);
    leasedTotal.inc(leased.jobs.length);
    if (leased.isMoreDue && leased.jobs.length < count) this.#awaitSlot(job);
    else if (leased.isMoreDue) enqueuer.enqueueRun(job);
    return leased.jobs;
  }

  #awaitSlot(job: Job): void {
    const short = this.#short.get(job.queue);
    if (short === undefined) this.#short.set(job.queue, new Set([job]));
    else short.add(job);
  }

  #release(queue: QueueName, merchant: string | null, startedAt: number): void {
    this.#slotsOf(queue).release(merchant, performance.now() - startedAt);
    for (const job of this.#short.get(queue) ?? []) this.#options.enqueuer.enqueueRun(job);
    this.#short.delete(queue);
  }

  #slotsOf(queue: QueueName): Slots {
    const slots = this.#options.slots.get(queue);
    if (slots === undefined) throw new Error(`this process does not serve the queue ${queue}`);
    return slots;
  }
}

/** Who holds the slots of what was leased: a batch has one, other jobs have one each. */
function holdersOf({ batch, perMerchant }: Job, leased: readonly LeasedJob[]): readonly (string | null)[] {
  if (batch > 1) return leased.length === 0 ? [] : [null];
  return leased.map(({ merchant_id }) => merchant_id ?? (perMerchant ? '' : null));
}

function report(outcome: RunReport['outcome'], leased: readonly LeasedJob[]): RunReport {
  const named = leased.slice(0, 20);
  return { outcome, keys: named.map(({ key }) => key), merchants: merchantsOf(named), count: leased.length };
}

/** The owning merchants, each once. */
const merchantsOf = (leased: readonly LeasedJob[]): readonly string[] => [
  ...new Set(leased.flatMap(({ merchant_id }) => merchant_id ?? [])),
];

/** Writes the outcome of a run to its job's log. */
async function tell(
  queueJob: QueueJob,
  count: number,
  startedAt: number,
  errors: readonly unknown[],
): Promise<void> {
  const faults = errors.length === 0 ? '' : `, ${errors.length} failed, the first: ${messageOf(errors[0])}`;
  const line = `ran ${count} in ${Math.round(performance.now() - startedAt)} ms${faults}`;
  // What is only shown fails no run.
  await queueJob.log(line).catch(() => undefined);
}

/** Shows operators what a run has leased, unless it is what its job was added for. */
async function show(queueJob: QueueJob, leased: readonly LeasedJob[]): Promise<void> {
  const { data } = queueJob;
  const keys = leased.slice(0, MAX_SHOWN).map(({ key }) => key);
  const known = new Set(data.keys);
  if (keys.length === known.size && keys.every((key) => known.has(key))) return;
  const merchants = merchantsOf(leased.slice(0, MAX_SHOWN));
  // A run goes on where it cannot be shown.
  await queueJob.updateData({ ...data, keys, merchants }).catch(() => undefined);
}
