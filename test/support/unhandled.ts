import { setImmediate } from 'node:timers/promises';

/** Errors that nothing handled, and rejections without a handler, each once. */
const unhandled = new Set<unknown>();

const record = (reason: unknown): void => void unhandled.add(reason);

/**
 * Records errors that nothing handles from now on. mocha fails the current test for an error that is thrown,
 * if there is one, and passes on a rejection to other listeners, of which there are none: it would be lost.
 */
export function recordUnhandled(): void {
  process.on('unhandledRejection', record);
  process.on('uncaughtExceptionMonitor', record);
}

/** Throws when there was one: a run that had one fails, although each of its tests may have passed. */
export async function refuseUnhandled(): Promise<void> {
  // A rejection counts as unhandled once the promises that were settled with it have run.
  await setImmediate();
  const errors = [...unhandled];
  unhandled.clear();
  if (errors.length > 0)
    throw new AggregateError(errors, `Nothing handled: ${errors.map(textOf).join('; ')}`);
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
