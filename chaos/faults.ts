import { setTimeout as sleep } from 'node:timers/promises';
import { redisCall } from '../test/support/redis.ts';
import type { Fault, PlannedFault } from './plan.ts';
import type { Stand } from './stand/stand.ts';

/** How long Postgres is down. */
const POSTGRES_DOWN_MS = 1_500;

/** How often each fault was injected. */
export type FaultCounts = Map<Fault['kind'], number>;

/**
 * Injects every fault at its time. Kills happen during other faults too; each of the others waits for the end
 * of its predecessor. `report` gets a line for each fault but kills of workers.
 */
export async function injectFaults(
  plan: readonly PlannedFault[],
  stand: Stand,
  report: (line: string) => void,
): Promise<FaultCounts> {
  const counts: FaultCounts = new Map();
  const start = performance.now();
  let before: Promise<void> = Promise.resolve();
  const one = async (fault: Fault) => {
    if (fault.kind !== 'kill worker') report(fault.kind);
    if (await inject(fault, stand)) counts.set(fault.kind, (counts.get(fault.kind) ?? 0) + 1);
  };
  const kills: Promise<void>[] = [];
  for (const fault of plan) {
    await sleep(Math.max(0, start + fault.at * 1000 - performance.now()));
    if (fault.kind.startsWith('kill')) kills.push(one(fault));
    else before = before.then(() => one(fault));
  }
  await Promise.all([before, ...kills]);
  return counts;
}

/** Returns false when the process was not running: a worker cannot start while Postgres is away. */
async function inject(fault: Fault, { web, workers, redis, postgres }: Stand): Promise<boolean> {
  if (redis === null) throw new Error('the plan needs Redis');
  if (fault.kind === 'kill worker') return workers[fault.worker].kill();
  if (fault.kind === 'kill web') return web.kill();
  if (fault.kind === 'flush Redis') await redisCall(redis.url, 'FLUSHALL');
  else if (fault.kind === 'restart Postgres') {
    await postgres.end('SIGINT');
    await sleep(POSTGRES_DOWN_MS);
    await postgres.startAgain();
  } else {
    await redis.stop();
    await sleep(fault.seconds * 1000);
    await redis.start();
  }
  return true;
}
