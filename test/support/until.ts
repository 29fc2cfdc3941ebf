import { setTimeout as sleep } from 'node:timers/promises';

const EVERY_MS = 10;

/**
 * Resolves as soon as `condition` is true; checks at once and then every few milliseconds, or `everyMs` where
 * looking costs much. Rejects after `timeoutMs` with what it waited for, as it stands then; the limit only
 * bounds the time of a failing test.
 */
export async function until(
  what: string | (() => string),
  condition: () => boolean | Promise<boolean>,
  timeoutMs = 50_000,
  everyMs = EVERY_MS,
): Promise<void> {
  const end = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > end)
      throw new Error(`not within ${timeoutMs} ms: ${typeof what === 'string' ? what : what()}`);
    await sleep(everyMs);
  }
}
