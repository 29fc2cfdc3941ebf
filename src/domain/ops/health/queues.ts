import type { Context } from '../../../platform/context.ts';
import type { Connection } from '../../../platform/postgres/db.ts';
import { countFailing, findDue, type DueJobs } from '../../schedule/lateness.ts';
import { judgeQueue, NOTHING_SEEN, type QueueView, type Watch } from './judge-queue.ts';
import type { Check } from './monitor.ts';
import { findProcesses, type KnownProcess } from './processes.ts';

const EVERY_MS = 5_000;

/** The queue of each kind of job. */
export type QueueOfJob = ReadonlyMap<string, string>;

/** What the latest look found, for metrics. */
export interface QueueState extends QueueView {
  readonly queue: string;
}

export interface QueuesCheck extends Check {
  /** By queue, as of the latest look. */
  state(): readonly QueueState[];
}

/** Whether workers finish what is due in every queue. */
export function queuesCheck(ctx: Context, queueOf: QueueOfJob): QueuesCheck {
  const queues = new Set(queueOf.values());
  const watches = new Map<string, Watch>();
  let state: readonly QueueState[] = [];
  return {
    name: 'queues',
    everyMs: EVERY_MS,
    state: () => state,
    async look() {
      const now = ctx.systemNow();
      const looked = await lookAt(ctx.db, now).catch((error: unknown) => {
        // Metrics show nothing rather than what was there before Postgres went away.
        state = [];
        throw error;
      });
      state = [...queues].map((queue) => ({
        ...viewOf(looked, (job) => queueOf.get(job) === queue, queue),
        queue,
      }));
      return state.flatMap((view) => {
        const { watch, reasons } = judgeQueue(view, watches.get(view.queue) ?? NOTHING_SEEN, now);
        watches.set(view.queue, watch);
        return reasons.map((reason) => `${view.queue}: ${reason}`);
      });
    },
  };
}

interface Looked {
  readonly due: readonly DueJobs[];
  readonly failing: ReadonlyMap<string, number>;
  readonly processes: readonly KnownProcess[];
}

async function lookAt(db: Connection, now: Date): Promise<Looked> {
  return {
    due: await findDue(db, now),
    failing: await countFailing(db, now),
    processes: await findProcesses(db, now),
  };
}

function viewOf(looked: Looked, isOfQueue: (job: string) => boolean, queue: string): QueueView {
  const due = looked.due.filter(({ job }) => isOfQueue(job));
  const failing = [...looked.failing].filter(([job]) => isOfQueue(job));
  const alive = looked.processes.filter(({ isAlive }) => isAlive).flatMap((one) => one.queues[queue] ?? []);
  const known = looked.processes.flatMap((one) => one.queues[queue] ?? []);
  return {
    due: sum(due.map((job) => job.due)),
    late: sum(due.map((job) => job.late)),
    oldestDueAt: earliest(due.map(({ oldest }) => oldest)),
    unleasedSince: earliest(due.map(({ oldest_unleased }) => oldest_unleased)),
    failing: sum(failing.map(([, count]) => count)),
    isReported: looked.processes.some(({ kind }) => kind === 'worker'),
    workers: alive.length,
    running: sum(alive.map(({ running }) => running)),
    slow: sum(alive.map(({ slow }) => slow)),
    finishedAt: latest(known.map(({ finishedAt }) => finishedAt)),
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function earliest(dates: readonly (Date | null)[]): Date | null {
  return dates.reduce(
    (first, date) => (first === null || (date !== null && date < first) ? date : first),
    null,
  );
}

function latest(dates: readonly (Date | null)[]): Date | null {
  return dates.reduce((last, date) => (last === null || (date !== null && date > last) ? date : last), null);
}
