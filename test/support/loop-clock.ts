const TICK_MS = 10;
/** What a tick counts at most: the rest of a longer one the process was not running, or busy. */
const MOST_MS = 2 * TICK_MS;

/**
 * A stopwatch for the time that this process could use: unlike the system clock it does not count while other
 * programs have the cores. A bound on it says what timers and waits add up to, on any machine.
 */
export interface LoopClock {
  /** Milliseconds that the event loop could run since the start. */
  elapsedMs(): number;
  stop(): void;
}

export function startLoopClock(): LoopClock {
  let elapsed = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    elapsed += Math.min(now - last, MOST_MS);
    last = now;
  }, TICK_MS);
  return { elapsedMs: () => elapsed, stop: () => clearInterval(timer) };
}

/** Returns what `work` returns, and how many milliseconds of this process's own time it took. */
export async function timed<Result>(work: () => Promise<Result>): Promise<{ result: Result; ms: number }> {
  const clock = startLoopClock();
  try {
    const result = await work();
    return { result, ms: clock.elapsedMs() };
  } finally {
    clock.stop();
  }
}
