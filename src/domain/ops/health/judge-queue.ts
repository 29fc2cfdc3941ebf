import { LATE_AFTER_SECONDS } from '../../schedule/lateness.ts';

/** A queue as one look at Postgres shows it. */
export interface QueueView {
  /** Jobs that are due, leased or not; neither those that wait for a turn nor those that failed. */
  readonly due: number;
  /** Of them, those due for more than a minute. */
  readonly late: number;
  readonly oldestDueAt: Date | null;
  /** Since when the oldest is due that no worker leases; null: workers lease what is due. */
  readonly unleasedSince: Date | null;
  /** Jobs that failed the last time and are tried again. */
  readonly failing: number;
  /**
   * Whether workers report what they do, or did within an hour. Those of the release before do not: of them
   * only the lateness of jobs is known.
   */
  readonly isReported: boolean;
  /** Workers that serve the queue. */
  readonly workers: number;
  /** Jobs that run, and of them those that have run for 10 s. */
  readonly running: number;
  readonly slow: number;
  /** When a job of the queue last ended well; null: not known. */
  readonly finishedAt: Date | null;
}

/** Since when each look in a row has found the same trouble; null: the latest did not. */
export interface Watch {
  readonly lookedAt: Date | null;
  readonly idleSince: Date | null;
  readonly behindSince: Date | null;
  readonly failingSince: Date | null;
  readonly busySince: Date | null;
}

export const NOTHING_SEEN: Watch = {
  lookedAt: null,
  idleSince: null,
  behindSince: null,
  failingSince: null,
  busySince: null,
};

/**
 * Twice what a job takes that a queue lost and a sweep enqueues again would be 60 s, the time within which
 * trouble must show; beats and looks take 10 s of that.
 */
const PATIENCE_SECONDS = 30;
/** Looks that are further apart say nothing of the time between: this process stood still. */
const LONGEST_GAP_SECONDS = 20;
/** No run takes so long: what seems to run hangs. */
const LONGEST_RUN_SECONDS = 600;
/** Fewer jobs that fail may be the fault of these jobs; parking them is what helps then. */
const MIN_FAILING = 3;

/**
 * Judges one queue by what `latest` says of the looks until now. A queue is in trouble when nothing ends in
 * it although more is due than runs: so a long run is none, and neither are receivers that hang, merchants
 * that wait for their turn, and single jobs that fail.
 */
export function judgeQueue(
  view: QueueView,
  latest: Watch,
  now: Date,
): { watch: Watch; reasons: readonly string[] } {
  const before = secondsSince(latest.lookedAt, now) > LONGEST_GAP_SECONDS ? NOTHING_SEEN : latest;
  const watch: Watch = {
    lookedAt: now,
    idleSince: view.isReported && view.due > view.running ? (before.idleSince ?? now) : null,
    behindSince: view.late > view.slow ? (before.behindSince ?? now) : null,
    failingSince: view.isReported && view.failing >= MIN_FAILING ? (before.failingSince ?? now) : null,
    busySince: view.isReported && view.due > 0 ? (before.busySince ?? now) : null,
  };
  const idle = secondsSince(later(watch.idleSince, view.finishedAt), now);
  const busy = secondsSince(later(watch.busySince, view.finishedAt), now);
  const failing = secondsSince(later(watch.failingSince, view.finishedAt), now);
  const behind = secondsSince(watch.behindSince, now);
  const unleased = secondsSince(view.unleasedSince, now);
  if (idle > PATIENCE_SECONDS || busy > LONGEST_RUN_SECONDS)
    return { watch, reasons: [idleReason(view, now)] };
  if (failing > PATIENCE_SECONDS)
    return { watch, reasons: [`${view.failing} jobs fail again and again, and none succeeds`] };
  if (unleased > LATE_AFTER_SECONDS)
    return { watch, reasons: [`a job has waited for ${text(unleased)}, and no worker takes it`] };
  if (behind > PATIENCE_SECONDS) {
    const oldest = text(secondsSince(view.oldestDueAt, now));
    return {
      watch,
      reasons: [`${view.late === 1 ? '1 job is' : `${view.late} jobs are`} late, the oldest by ${oldest}`],
    };
  }
  return { watch, reasons: [] };
}

function idleReason({ due, oldestDueAt, finishedAt, workers }: QueueView, now: Date): string {
  const jobs = `${due === 1 ? '1 job is' : `${due} jobs are`} due, the oldest for ${text(secondsSince(oldestDueAt, now))}`;
  if (workers === 0) return `${jobs}, and no worker serves this queue`;
  const last = finishedAt === null ? '' : ` for ${text(secondsSince(finishedAt, now))}`;
  return `${jobs}, and none has been finished${last}: is the queue paused?`;
}

/** The later of two times; null where the first is null. */
function later(since: Date | null, at: Date | null): Date | null {
  return since !== null && at !== null && at > since ? at : since;
}

function secondsSince(since: Date | null, now: Date): number {
  return since === null ? 0 : Math.max(0, (now.getTime() - since.getTime()) / 1000);
}

function text(seconds: number): string {
  return `${Math.floor(seconds)} s`;
}
