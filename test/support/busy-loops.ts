import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** Threads that compute without a pause: they take the cores away from whatever a test does beside them. */
export interface BusyLoops {
  stop(): Promise<void>;
}

const LOOP = `
  const { parentPort } = require('node:worker_threads');
  parentPort.postMessage('busy');
  for (;;);`;

/** Starts so many busy loops; resolves when all of them run. */
export async function startBusyLoops(count: number): Promise<BusyLoops> {
  const workers = Array.from({ length: count }, () => new Worker(LOOP, { eval: true }));
  await Promise.all(workers.map((worker) => once(worker, 'message')));
  return {
    async stop() {
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
}
