import type { JobQueue } from '../../src/background/queues.ts';
import type { QueueName } from '../../src/domain/schedule/job.ts';

export interface AddedJob {
  readonly queue: QueueName;
  readonly name: string;
  readonly keys: readonly string[];
}

/** Queues that remember what they got; `addBulk` is called before each addition, `waiting` counts. */
export function recordingQueue({
  addBulk = () => undefined,
  waiting = () => 0,
}: { addBulk?: () => unknown; waiting?: () => number } = {}) {
  const added: AddedJob[] = [];
  let counts = 0;
  const queueOf = (queue: QueueName): Promise<JobQueue> =>
    Promise.resolve({
      name: queue,
      async addBulk(jobs) {
        await addBulk();
        added.push(...jobs.map(({ name, data }) => ({ queue, name, keys: data.keys })));
        return [];
      },
      getJobCountByTypes() {
        counts += 1;
        return Promise.resolve(waiting());
      },
      isPaused: () => Promise.resolve(false),
      waitUntilReady: () => Promise.reject(new Error('not asked for')),
      close: () => Promise.resolve(),
    });
  return { queueOf, added, counts: () => counts };
}
