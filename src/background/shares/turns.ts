import { awaitTurn, findWaiting, leaseTurns, type TurnlessJob } from '../../domain/schedule/turns.ts';
import type { Context } from '../../platform/context.ts';
import type { JobMerchant, LeasedJob } from '../../platform/handover.ts';
import type { Job, KeyNames, QueueName } from '../../platform/job.ts';
import { countWaitingJobs } from '../queue-status.ts';
import type { JobData, JobQueue } from '../queues.ts';
import type { Slots } from './slots.ts';

/** While no job is known to wait for a turn: another worker's relay may have made one wait. */
const LOOK_EVERY_MS = 200;
/** Looking takes at most this part of the relay's time, however many merchants wait. */
const LOOK_SHARE = 0.1;
/**
 * The most keys of a merchant that one job of a queue carries. Each key takes a slot of its own; what is
 * saved is the queue's work for the others (some 3 ms of Postgres on its engine, by pg_stat_statements).
 */
export const CARRIED_KEYS = 16;

type MerchantJob = LeasedJob & { readonly merchant: JobMerchant };

/**
 * Shares the slots of this process among merchants. Its relay hands over a merchant's jobs while the merchant
 * has slots left here; the others wait in Postgres. A job that another worker's relay handed over waits as
 * well when it starts here and its merchant holds its share.
 */
export class Turns {
  readonly #slots: ReadonlyMap<QueueName, Slots>;
  readonly #queues: ReadonlyMap<QueueName, JobQueue>;
  #lookAt = -Infinity;

  constructor(slots: ReadonlyMap<QueueName, Slots>, queues: ReadonlyMap<QueueName, JobQueue>) {
    this.#slots = slots;
    this.#queues = queues;
  }

  /** Asks the queues for jobs that were handed over and did not start here in time. */
  async countHandedOver(): Promise<void> {
    for (const [name, slots] of this.#slots) {
      const queue = slots.areStartsLate ? this.#queues.get(name) : undefined;
      if (queue !== undefined) slots.forgetStarted((await countWaitingJobs(queue)) * CARRIED_KEYS);
    }
  }

  /** Leases jobs that waited, as many as their merchants have slots left, in the order of their turns. */
  async lease(ctx: Context, jobs: readonly Job[], leaseEnd: Date): Promise<LeasedJob[]> {
    const startedAt = performance.now();
    if (startedAt < this.#lookAt) return [];
    const waiting = await findWaiting(ctx.db);
    const endedAt = performance.now();
    this.#lookAt = endedAt + (waiting.length === 0 ? LOOK_EVERY_MS : (endedAt - startedAt) / LOOK_SHARE);
    const turns = jobs.flatMap((job) => {
      const merchants = waiting.filter((one) => one.job === job.name).map(({ merchant }) => merchant);
      const counts =
        this.#slots.get(job.queue)?.turns(merchants, () => Infinity) ?? new Map<string, number>();
      return merchants.map((merchant) => ({ job: job.name, merchant, count: counts.get(merchant.id) ?? 0 }));
    });
    const leased = await leaseTurns(
      ctx.db,
      turns.filter(({ count }) => count > 0),
      leaseEnd,
    );
    this.#handOver(jobs, leased);
    return leased;
  }

  /** Returns those of the leased jobs that are handed over now; the others wait for their turns. */
  async take(
    ctx: Context,
    jobs: readonly Job[],
    leased: readonly LeasedJob[],
    leaseEnd: Date,
  ): Promise<LeasedJob[]> {
    const taken: LeasedJob[] = leased.filter((job) => !isOfMerchant(job));
    const left: TurnlessJob[] = [];
    for (const job of jobs) {
      const own = leased.filter(isOfMerchant).filter((one) => one.job === job.name);
      const divided = this.#slots.get(job.queue)?.divide(own) ?? { taken: own, waiting: [] };
      this.#handOver([job], divided.taken);
      taken.push(...divided.taken);
      left.push(...divided.waiting);
    }
    if (left.length > 0) await this.#awaitTurns(ctx, left, leaseEnd);
    return taken;
  }

  /**
   * Runs a job of a queue, each key of a merchant's job by itself, in a slot of its merchant: where there is
   * none, the key waits for its turn. Throws the first error once all have run.
   */
  async runInSlots(
    ctx: Context,
    { queue, name, data }: { queue: QueueName; name: string; data: JobData },
    run: (data: JobData) => Promise<void>,
  ): Promise<void> {
    const slots = this.#slots.get(queue);
    const { merchant = null, leaseEnd = '', keys } = data;
    if (slots === undefined) return run(data);
    if (merchant === null) {
      slots.enter(null);
      return leaveAfter(slots, null, run(data));
    }
    const left: TurnlessJob[] = [];
    const runs: Promise<void>[] = [];
    for (const key of keys)
      if (slots.enter(merchant)) runs.push(leaveAfter(slots, merchant, run({ ...data, keys: [key] })));
      else left.push({ job: name, key, merchant });
    if (left.length > 0) runs.push(this.#awaitTurns(ctx, left, new Date(leaseEnd)));
    const failed = (await Promise.allSettled(runs)).find(({ status }) => status === 'rejected');
    if (failed !== undefined) throw (failed as PromiseRejectedResult).reason;
  }

  async #awaitTurns(ctx: Context, jobs: readonly TurnlessJob[], leaseEnd: Date): Promise<void> {
    await awaitTurn(ctx.db, jobs, leaseEnd, ctx.now());
    this.#lookAt = -Infinity;
  }

  #handOver(jobs: readonly Job[], leased: readonly LeasedJob[]): void {
    for (const job of jobs) {
      const own = leased.filter((one) => one.job === job.name).filter(isOfMerchant);
      this.#slots.get(job.queue)?.handOver(own.map(({ merchant }) => merchant));
    }
  }
}

/** Gives the slot back when the run has ended, however it did. */
async function leaveAfter(slots: Slots, merchant: JobMerchant | null, run: Promise<void>): Promise<void> {
  const startedAt = performance.now();
  try {
    await run;
  } finally {
    slots.leave(merchant, performance.now() - startedAt);
  }
}

/** What the keys of jobs name, by which `leaseDue` finds their merchants. */
export function keyNamesOf(jobs: readonly Job[]): ReadonlyMap<string, KeyNames> {
  return new Map(jobs.flatMap(({ name, keyNames }) => (keyNames === null ? [] : [[name, keyNames]])));
}

function isOfMerchant(job: LeasedJob): job is MerchantJob {
  return job.merchant !== null;
}
