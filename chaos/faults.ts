import { setTimeout as sleep } from 'node:timers/promises';
import { redisCall } from '../test/support/redis.ts';
import type { Fault, Planned } from './plan.ts';
import type { Environment } from './environment.ts';

/** How often each fault has fallen. */
export type Tally = Map<Fault['kind'], number>;

/**
 * Deals every fault at its time. Kills go on whatever else is under way; of the other faults each waits for the end of the one before.
 * `say` gets a line for each of those.
 */
export async function deal(
  plan: readonly Planned[],
  environment: Environment,
  say: (line: string) => void,
): Promise<Tally> {
  const tally: Tally = new Map();
  const start = performance.now();
  let before: Promise<void> = Promise.resolve();
  const one = async (fault: Fault) => {
    if (fault.kind !== 'kill worker') say(fault.kind);
    if (await dealOne(fault, environment)) tally.set(fault.kind, (tally.get(fault.kind) ?? 0) + 1);
  };
  const kills: Promise<void>[] = [];
  for (const fault of plan) {
    await sleep(Math.max(0, start + fault.at * 1000 - performance.now()));
    if (fault.kind.startsWith('kill')) kills.push(one(fault));
    else before = before.then(() => one(fault));
  }
  await Promise.all([before, ...kills]);
  return tally;
}

/** False when there was nobody to hit: a worker that cannot start, because Postgres is away, may be just between two tries. */
async function dealOne(fault: Fault, { web, workers, redis, postgres }: Environment): Promise<boolean> {
  if (fault.kind === 'kill worker') return workers[fault.worker].kill();
  if (fault.kind === 'kill web') return web.kill();
  if (fault.kind === 'flush Redis') await redisCall(redis.url, 'FLUSHALL');
  else if (fault.kind === 'restart Postgres') await postgres.restart();
  else {
    await redis.stop();
    await sleep(fault.seconds * 1000);
    await redis.start();
  }
  return true;
}
