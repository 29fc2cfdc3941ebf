/** Scrapes and operators that come sooner share what was read last. */
const KEPT_MS = 5_000;
/** A scrape takes two connections of the pool, not all; and one statement that hangs stops no other. */
const AT_ONCE = 2;

type Share = <T>(read: () => Promise<T>) => () => Promise<T>;

/**
 * Returns what lets the callers of a read share it: one at a time, and its result for 5 s. A failure is
 * everybody's who waits for it, and nobody's afterwards.
 */
export function sharedReads(): Share {
  const waiting: (() => void)[] = [];
  let running = 0;
  const enter = async () => {
    if (running < AT_ONCE) running += 1;
    else await new Promise<void>((resolve) => void waiting.push(resolve));
  };
  const leave = () => {
    const next = waiting.shift();
    // Whoever waits takes the place over.
    if (next === undefined) running -= 1;
    else next();
  };
  return <T>(read: () => Promise<T>) => {
    let latest: Promise<T> | null = null;
    let readAt = Infinity;
    const look = async () => {
      await enter();
      try {
        const found = await read();
        readAt = performance.now();
        return found;
      } catch (error) {
        latest = null;
        throw error;
      } finally {
        leave();
      }
    };
    return () => {
      if (latest !== null && performance.now() - readAt <= KEPT_MS) return latest;
      readAt = Infinity;
      latest = look();
      return latest;
    };
  };
}
