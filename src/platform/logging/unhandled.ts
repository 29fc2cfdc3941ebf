import { messageOf, type Log } from '../log.ts';

let count = 0;

/** How many errors of this process nothing has handled. */
export function unhandledErrors(): number {
  return count;
}

/**
 * Counts and logs errors that nothing handles: thrown outside of any promise, emitted without a listener, or
 * rejected without a handler. While `log` returns null, the process cannot serve yet: `fail` ends it.
 *
 * Afterwards the process goes on. The work that failed is one connection's or one job's, and is found again
 * in Postgres; ending the process would cut every other connection, and one client could do so again and
 * again. Each of these errors is a bug, hence the metric and the log entry.
 */
export function watchUnhandled(log: () => Log | null, fail: (error: unknown) => void): void {
  process.on('uncaughtException', (error, origin) => {
    count += 1;
    const ready = log();
    if (ready === null) return fail(error);
    const stack = error instanceof Error ? error.stack : undefined;
    ready.error('unhandled error', { origin, error: messageOf(error), stack });
  });
}
