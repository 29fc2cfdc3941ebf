import type { Context } from '../../platform/context.ts';

/**
 * A kind of scheduled job. `name` is what `scheduled_jobs.job` holds and what the queue's viewer shows;
 * `queue` is the queue that carries it; `batch` is how many keys one run may take.
 */
export interface Job {
  readonly name: string;
  readonly queue: QueueName;
  readonly batch: number;
  /**
   * The keys that each worker schedules at its start, unless they are scheduled: of jobs that run for as long
   * as the service does.
   */
  readonly keys: readonly string[];
  /**
   * How long after a run that succeeded its keys run again; null: the handler finishes or reschedules them
   * itself.
   */
  readonly everySeconds: number | null;
  /**
   * Its handler waits for a server that a merchant chooses: a merchant holds at most its share of the slots
   * of the queue. Its rows name their merchants.
   */
  readonly perMerchant: boolean;
}

/** The queues, as operators see them and as WORKER_QUEUES names them. */
export const QUEUE_NAMES = [
  'expiration',
  'confirmations',
  'settlement',
  'refunds',
  'webhook-fan-out',
  'webhook-delivery',
  'relay',
  'mail',
  'clean-up',
  'sandbox',
] as const;
export type QueueName = (typeof QUEUE_NAMES)[number];

/**
 * Declares a job. Code that schedules it imports the declaration; only the worker process imports the
 * handler.
 */
export function defineJob(
  name: string,
  queue: QueueName,
  { batch = 1, keys = [], perMerchant = false }: Partial<Pick<Job, 'batch' | 'keys' | 'perMerchant'>> = {},
): Job {
  return { name, queue, batch, keys, everySeconds: null, perMerchant };
}

/**
 * Declares a job with the one key `all` that runs at the start and then again and again. Its handler does one
 * run.
 */
export function defineRecurringJob(
  name: string,
  queue: QueueName,
  { everySeconds }: { everySeconds: number },
): Job {
  return { name, queue, batch: 1, keys: ['all'], everySeconds, perMerchant: false };
}

/**
 * Runs the jobs of `keys`. It reads the current state, skips what is done, and finishes or reschedules each
 * key in its own transactions. Throwing means that nothing was decided: all of them run again later.
 */
export type Handle = (ctx: Context, keys: readonly string[]) => Promise<void>;

export interface Handler {
  readonly job: Job;
  readonly handle: Handle;
}

/** Handlers by the name of their job. */
export type Handlers = ReadonlyMap<string, Handler>;
