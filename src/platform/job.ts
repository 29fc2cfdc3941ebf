import type { Context } from './context.ts';

/**
 * A kind of work that falls due. `name` is what `scheduled_jobs.job` holds and what the queue's viewer shows; `queue` is the queue that
 * carries it; `batch` is how many keys one hand-over may carry.
 */
export interface Job {
  readonly name: string;
  readonly queue: QueueName;
  readonly batch: number;
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

/** Declares a job. Whoever wants its work done imports the declaration; only the worker process imports the handler. */
export function defineJob(name: string, queue: QueueName, options: { batch?: number } = {}): Job {
  return { name, queue, batch: options.batch ?? 1 };
}

/**
 * Does the due work of `keys`. It reloads the truth, passes over what is done already, and in its own transactions finishes or
 * reschedules each key. Throwing means: nothing was decided, try all of them again later.
 */
export type Handle = (ctx: Context, keys: readonly string[]) => Promise<void>;

export interface Handler {
  readonly job: Job;
  readonly handle: Handle;
}

/** Handlers by the name of their job. */
export type Handlers = ReadonlyMap<string, Handler>;
