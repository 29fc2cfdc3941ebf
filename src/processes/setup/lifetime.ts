import { setTimeout as sleep } from 'node:timers/promises';
import { StartError } from '../../platform/config/config.ts';
import { isUnavailable } from '../../platform/postgres/db.ts';
import { messageOf, type Log } from '../../platform/log.ts';

/** What is still under way this long after SIGTERM is given up: a bit less than the 30 s after which orchestrators kill. */
const DRAIN_SECONDS = 25;
/** Ctrl-C under npm arrives twice, from the terminal and from npm: what follows so soon is no second signal. */
const SAME_SIGNAL_MS = 300;

/** What a process has opened, and how it ends. */
export interface Lifetime {
  /** Has `close` called at the end; what was opened last is closed first. */
  own(close: () => unknown): void;
  /** Tells of the end; null as long as there is no log yet. */
  log: Log | null;
}

/**
 * Runs a process. An error of `main` is said in one line if it is the operator's to mend, and whole if it is ours; what was opened is
 * closed, and the exit code is 1. With `once` the process ends when `main` has; else it goes on until the first signal, which
 * lets `main` come to its end and then closes everything: exit code 0, or 1 when that took longer than `drainSeconds` or failed. A
 * second signal ends the process at once. Whatever was cut off is still in Postgres and comes back.
 */
export function runMain(
  main: (lifetime: Lifetime) => Promise<void>,
  {
    once = false,
    signals = ['SIGTERM', 'SIGINT'],
    drainSeconds = DRAIN_SECONDS,
  }: { once?: boolean; signals?: readonly NodeJS.Signals[]; drainSeconds?: number } = {},
): void {
  const closes: (() => unknown)[] = [];
  const lifetime: Lifetime = { own: (close) => void closes.push(close), log: null };
  let drainingSince: number | null = null;
  const drain = (signal: string) => {
    if (drainingSince !== null) {
      if (performance.now() - drainingSince > SAME_SIGNAL_MS) process.exit(1);
      return;
    }
    drainingSince = performance.now();
    lifetime.log?.info('draining', { signal });
    void end(0);
  };
  const end = async (code: number) => {
    try {
      await within(
        drainSeconds,
        started.catch(() => undefined).then(() => closeAll(closes)),
      );
      process.exit(code);
    } catch (error) {
      lifetime.log?.error('could not drain', { error: messageOf(error) });
      process.exit(1);
    }
  };
  for (const signal of signals) process.on(signal, drain);
  // A terminal that was closed takes no more lines: that must not cut the end short.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  const started = main(lifetime);
  started.then(
    () => once && end(0),
    (error: unknown) => {
      console.error(explain(error));
      drainingSince ??= performance.now();
      void end(1);
    },
  );
}

/** Settles as `work` does; rejects when that takes longer than `seconds`. */
export async function within<T>(seconds: number, work: Promise<T>): Promise<T> {
  const timer = new AbortController();
  const deadline = sleep(seconds * 1000, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`not done after ${seconds} s`);
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    timer.abort();
    deadline.catch(() => undefined);
  }
}

/** One that fails does not keep the others open. */
async function closeAll(closes: (() => unknown)[]): Promise<void> {
  const faults: unknown[] = [];
  for (let close = closes.pop(); close !== undefined; close = closes.pop()) {
    try {
      await close();
    } catch (error) {
      faults.push(error);
    }
  }
  if (faults.length > 0) throw new Error(faults.map(messageOf).join('; '));
}

/** The text for the operator: the message alone where that says all, with the stack where the fault is ours. */
export function explain(error: unknown): string {
  // A name with several addresses, such as localhost, fails once for each, and the error as a whole says nothing.
  if (error instanceof AggregateError) return [...new Set(error.errors.map(explain))].join('\n');
  if (error instanceof StartError) return error.message;
  if (isUnavailable(error)) return `Postgres cannot be reached: ${messageOf(error)}`;
  if (isRefusal(error)) return `Postgres refuses DATABASE_URL: ${messageOf(error)}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** SQLSTATE classes 28 (user, password) and 3D (no such database). */
function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(28|3D)/.test(String(error.code));
}
