import { QUEUE_NAMES } from '../../src/domain/schedule/job.ts';
import { WEB_DB, WORKER_DB } from '../../src/processes/setup/context.ts';
import { repeatUntil, type Repetition } from './repeat.ts';
import type { Stand } from '../stand/stand.ts';

const EVERY_MS = 1_000;
/** Queues in Postgres: a pool in each process, and in a worker one connection more for each queue. */
const QUEUE_POOL = 10;
const OWN = `application_name ~ '^(web|worker) [0-9]+$'`;
/** A worker's connection for a queue, which is of the same pool, is named like the queue. */
const OF_QUEUES = `application_name IN ('queues', ${QUEUE_NAMES.map((name) => `'${name}'`).join(', ')})`;
const LIMITS: Readonly<Record<string, number>> = {
  web: WEB_DB.poolSize,
  worker: WORKER_DB.poolSize,
  queues: 3 * QUEUE_POOL + 2 * QUEUE_NAMES.length,
};

/** Watches that no process has more connections than its pool; what it finds is added to `faults`. */
export function watchConnections(stand: Stand, faults: string[]): Repetition & { most(): string } {
  const most = new Map<string, number>();
  const look = async () => {
    const rows = await stand.postgres.run<{ name: string; count: number }>(
      `SELECT CASE WHEN ${OWN} THEN application_name ELSE 'queues' END AS name, count(*)::int
       FROM pg_stat_activity WHERE datname = current_database() AND (${OWN} OR ${OF_QUEUES}) GROUP BY 1`,
    );
    for (const { name, count } of rows) {
      const [kind = ''] = name.split(' ');
      most.set(kind, Math.max(count, most.get(kind) ?? 0));
      if (count > (LIMITS[kind] ?? 0)) faults.push(`${name} has ${count} connections`);
    }
  };
  // During a fault of Postgres nothing can be seen.
  const seen = () => Promise.race([look().catch(() => undefined), timeout()]);
  const repetition = repeatUntil(seen, EVERY_MS);
  return {
    stop: () => repetition.stop(),
    most: () => [...most].map(([kind, count]) => `${kind} ${count}/${LIMITS[kind] ?? 0}`).join(', '),
  };
}

const timeout = () => new Promise<void>((resolve) => setTimeout(resolve, 5_000).unref());
