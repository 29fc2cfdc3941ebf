/** A hung server is noticed within the sum of both: 4 s. */
const EVERY_MS = 2_000;
const DEADLINE_MS = 2_000;

export interface ReplyWatch {
  stop(): void;
}

/**
 * Pings a server again and again. Its connections stay open while it hangs, and commands wait without an
 * error, so that only a missing reply shows it. Calls `onHung` when a ping has no reply in time, `onFailed`
 * when its reply is an error, and `onReply` otherwise. One ping at a time: a hung server collects no others.
 */
export function watchReplies(
  ping: () => Promise<unknown>,
  on: { onHung: (afterMs: number) => void; onFailed: (error: unknown) => void; onReply: () => void },
): ReplyWatch {
  let isWaiting = false;
  const look = () => {
    if (isWaiting) return;
    isWaiting = true;
    const deadline = setTimeout(() => on.onHung(DEADLINE_MS), DEADLINE_MS).unref();
    ping()
      .then(on.onReply, on.onFailed)
      .finally(() => {
        clearTimeout(deadline);
        isWaiting = false;
      });
  };
  const timer = setInterval(look, EVERY_MS).unref();
  return { stop: () => clearInterval(timer) };
}

/** Resolves like `work`. Throws an Error with `message` where that takes longer than `ms`. */
export async function within<T>(ms: number, work: Promise<T>, message: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(message)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    work.catch(() => undefined);
  }
}
