import { ENQUEUER_POOL_SIZE, QUEUE_POOL_SIZE } from '../../../background/queues.ts';
import { RPC_NETWORKS } from '../../../platform/config/variables.ts';
import type { Config } from '../../../platform/config/config.ts';
import { QUEUE_NAMES } from '../../../domain/schedule/job.ts';
import { runOne, sql } from '../../../platform/postgres/db.ts';
import { WATCHER_DB, WEB_DB, WORKER_DB } from '../context.ts';
import { OpsUsageError, type OpsCommand, type OpsValues } from './command.ts';

/**
 * Returns the most connections to Postgres that a process opens: those of its pool, one for the beats of a
 * worker, one of a watcher for each network and for the rates and, where the queues are in Postgres, those
 * of a worker's queues, or with which web and watcher add to them and web shows them. Those to a replica are
 * not among them.
 */
export function connectionsOf(kind: 'web' | 'worker' | 'watcher', config: Config): number {
  // Nobody but a watcher knows which networks it reads: elsewhere all of them count.
  const networks = Object.keys(config.rpc).length || RPC_NETWORKS.length;
  const own = {
    web: WEB_DB.poolSize,
    worker: WORKER_DB.poolSize + 1,
    watcher: WATCHER_DB.poolSize + networks + 1,
  }[kind];
  if (config.redisUrl !== null) return own;
  if (kind === 'watcher') return own + ENQUEUER_POOL_SIZE;
  if (kind === 'worker') return own + QUEUE_POOL_SIZE + (config.workerQueues ?? QUEUE_NAMES).length;
  return own + ENQUEUER_POOL_SIZE + (config.adminPassword === null ? 0 : QUEUE_POOL_SIZE);
}

const limits = sql<{ most: number; reserved: number }>(
  'connection_limits',
  `SELECT current_setting('max_connections')::int AS most,
     current_setting('superuser_reserved_connections')::int AS reserved`,
);

/** The release, a command, and who looks with psql; a start opens two for a moment. */
const BESIDE = 10;

export const connectionsCommand: OpsCommand = {
  summary:
    'computes how many connections to Postgres so many processes may open, and compares max_connections',
  description: 'With the variables that it is run with. Exit code 1 when max_connections is less.',
  options: {
    web: { type: 'string', value: 'N', meaning: 'web processes', isNeeded: true },
    workers: { type: 'string', value: 'N', meaning: 'workers', isNeeded: true },
    watchers: { type: 'string', value: 'N', meaning: 'watchers; none without it' },
  },
  changes: () => false,
  async run({ db, config }, values) {
    const [web, workers] = [numberOf(values, 'web'), numberOf(values, 'workers')];
    const watchers = numberOf(values, 'watchers');
    const each = {
      web: connectionsOf('web', config),
      worker: connectionsOf('worker', config),
      watcher: connectionsOf('watcher', config),
    };
    const sum = web * each.web + workers * each.worker + watchers * each.watcher + BESIDE;
    const { most = 0, reserved = 0 } = (await runOne(db, limits, [])) ?? {};
    const needed = sum + reserved;
    const text =
      `${web} web x ${each.web} + ${workers} workers x ${each.worker} + ${watchers} watchers x ${each.watcher} + ` +
      `${BESIDE} for commands + ${reserved} ` +
      `reserved = ${needed}; max_connections is ${most}${needed > most ? ': too few' : ''}.`;
    return { facts: { each, needed, max_connections: most }, text, isBad: needed > most };
  },
};

function numberOf(values: OpsValues, name: string): number {
  const text = values.text(name) ?? '0';
  if (/^\d{1,4}$/.test(text)) return Number(text);
  throw new OpsUsageError(`--${name} ${text} is no number of processes.`);
}
