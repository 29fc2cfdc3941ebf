import { setTimeout as sleep } from 'node:timers/promises';
import { redisCall } from '../test/support/redis.ts';
import type { Blow, Planned } from './plan.ts';
import type { Scene } from './scene.ts';

/** How often each blow has fallen. */
export type Tally = Map<Blow['kind'], number>;

/**
 * Deals every blow at its time. Kills go on whatever else is under way; of the other blows each waits for the end of the one before.
 * `say` gets a line for each of those.
 */
export async function deal(
  plan: readonly Planned[],
  scene: Scene,
  say: (line: string) => void,
): Promise<Tally> {
  const tally: Tally = new Map();
  const start = performance.now();
  let before: Promise<void> = Promise.resolve();
  const one = async (blow: Blow) => {
    if (blow.kind !== 'kill worker') say(blow.kind);
    if (await dealOne(blow, scene)) tally.set(blow.kind, (tally.get(blow.kind) ?? 0) + 1);
  };
  const kills: Promise<void>[] = [];
  for (const blow of plan) {
    await sleep(Math.max(0, start + blow.at * 1000 - performance.now()));
    if (blow.kind.startsWith('kill')) kills.push(one(blow));
    else before = before.then(() => one(blow));
  }
  await Promise.all([before, ...kills]);
  return tally;
}

/** False when there was nobody to hit: a worker that cannot start, because Postgres is away, may be just between two tries. */
async function dealOne(blow: Blow, { web, workers, redis, postgres }: Scene): Promise<boolean> {
  if (blow.kind === 'kill worker') return workers[blow.worker].kill();
  if (blow.kind === 'kill web') return web.kill();
  if (blow.kind === 'flush Redis') await redisCall(redis.url, 'FLUSHALL');
  else if (blow.kind === 'restart Postgres') await postgres.restart();
  else {
    await redis.stop();
    await sleep(blow.seconds * 1000);
    await redis.start();
  }
  return true;
}
