import { setTimeout as sleep } from 'node:timers/promises';

const EVERY_MS = 10;

/**
 * Resolves as soon as `condition` is true; asks at once and then every few milliseconds. Rejects after
 * `timeoutMs`, which only bounds how long a test that fails takes, and says what it waited for.
 */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  timeoutMs = 50_000,
): Promise<void> {
  const end = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await sleep(EVERY_MS);
  }
}
