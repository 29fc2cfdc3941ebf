import { mayWork } from '../platform/database-clock/report.ts';
import type { Context } from '../platform/context.ts';
import { messageOf } from '../platform/log.ts';
import type { JobWorker } from './queues.ts';

/**
 * Returns whether this process may take work, for the sweep to ask before each pass. While its clock is wrong
 * it takes no jobs of the queues either: its workers are paused, what they have begun ends, and other
 * processes take the rest. When the clock is right, they go on.
 */
export function shiftOf(ctx: Context, workers: readonly JobWorker[]): () => boolean {
  let isWorking = true;
  return () => {
    if (mayWork(ctx.clock) === isWorking) return isWorking;
    isWorking = !isWorking;
    for (const worker of workers) {
      const change = isWorking ? worker.resume() : worker.pause(true);
      Promise.resolve(change).catch((error: unknown) =>
        ctx.log.error('a queue could not be paused or resumed', {
          queue: worker.name,
          error: messageOf(error),
        }),
      );
    }
    ctx.log.info(isWorking ? 'work goes on' : 'no work is taken until the clock is right');
    return isWorking;
  };
}
