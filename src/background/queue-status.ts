import type { SectionReport } from '../domain/ops/status/section.ts';
import type { Context } from '../platform/context.ts';
import { QUEUE_NAMES, type QueueName } from '../domain/schedule/job.ts';
import { within } from '../platform/logging/watch-replies.ts';
import { openQueueEngine, type JobQueue, type OperatedQueue } from './queues.ts';

/** What a queue holds at the moment. */
export interface QueueCounts {
  readonly queue: QueueName;
  readonly waiting: number;
  readonly active: number;
  /** Jobs that wait while the queue is paused. */
  readonly paused: number;
  readonly isPaused: boolean;
}

/** How long an operator waits for a queue's server. */
const PATIENCE_MS = 5_000;
/** How long a scrape of the metrics waits: after some seconds it would fail as a whole. */
export const SCRAPE_MS = 2_000;

const NO_REPLY = `the queues' server has not replied in ${PATIENCE_MS / 1000} s`;

/** Reads all queues over a connection of its own. Rejects when their server is away or hangs. */
export function readQueues(ctx: Context): Promise<QueueCounts[]> {
  return withQueues(ctx, countQueues);
}

/** Ends the pause of each queue that a program has paused. Rejects when their server is away or hangs. */
export function resumeQueues(ctx: Context): Promise<unknown> {
  return withQueues(ctx, (queues) =>
    within(PATIENCE_MS, Promise.all(queues.map((queue) => queue.resume())), NO_REPLY),
  );
}

async function withQueues<T>(
  { config, log }: Context,
  work: (queues: readonly OperatedQueue[]) => Promise<T>,
): Promise<T> {
  const engine = openQueueEngine(config, log);
  const queues = QUEUE_NAMES.map((name) => engine.openQueue(name));
  try {
    return await work(queues);
  } finally {
    // Closing waits for a server that is away; the process ends with its command.
    const closed = Promise.all(queues.map((queue) => queue.close())).then(() => engine.close());
    await within(1_000, closed, 'the queues have not closed').catch(() => undefined);
  }
}

/** Counts what open queues hold. Rejects when their server is away, or hangs for longer than `ms`. */
export async function countQueues(queues: readonly JobQueue[], ms = PATIENCE_MS): Promise<QueueCounts[]> {
  const counted = queues.map(async (queue) => ({
    queue: queue.name as QueueName,
    ...(await countJobs(queue)),
  }));
  return within(ms, Promise.all(counted), `the queues' server has not replied in ${ms / 1000} s`);
}

async function countJobs(queue: JobQueue): Promise<Omit<QueueCounts, 'queue'>> {
  const [waiting, active, isPaused] = await Promise.all([
    countWaitingJobs(queue),
    queue.getJobCountByTypes('active'),
    queue.isPaused(),
  ]);
  // Only the Postgres engine counts what waits in a paused queue apart.
  return { waiting: isPaused ? 0 : waiting, active, paused: isPaused ? waiting : 0, isPaused };
}

/** The section of the status about queues. */
export async function reportQueues(ctx: Context): Promise<SectionReport> {
  const queues = await readQueues(ctx);
  const lines = queues
    .filter(({ waiting, active, paused, isPaused }) => isPaused || waiting + active + paused > 0)
    .map(
      ({ queue, waiting, active, paused, isPaused }) =>
        `${queue}: ${waiting} waiting, ${active} active${isPaused ? `, ${paused} in a PAUSED queue` : ''}`,
    );
  return {
    facts: queues,
    lines: lines.length === 0 ? ['all are empty'] : lines,
    isBad: queues.some(({ isPaused }) => isPaused),
  };
}

/** How many jobs wait in a queue, also in a paused one, whose jobs the Postgres engine counts apart. */
export async function countWaitingJobs(queue: JobQueue): Promise<number> {
  return queue.getJobCountByTypes('waiting', 'paused' as 'waiting');
}
