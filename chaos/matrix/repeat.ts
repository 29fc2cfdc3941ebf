import { setTimeout as sleep } from 'node:timers/promises';

/** Something that a fault does until it ends. */
export interface Repetition {
  stop(): Promise<void>;
}

/** Runs `work` again and again, with a pause, until it is stopped; then runs `after`. */
export function repeatUntil(
  work: () => Promise<unknown>,
  pauseMs: number,
  after: () => Promise<unknown> = () => Promise.resolve(),
): Repetition {
  const stopped = new AbortController();
  const running = (async () => {
    while (!stopped.signal.aborted) {
      await work();
      await sleep(pauseMs, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
    await after();
  })();
  return {
    stop() {
      stopped.abort();
      return running;
    },
  };
}
