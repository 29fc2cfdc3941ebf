import { Cluster, Redis } from 'ioredis';
import type { Log } from './log.ts';
import { messageOf } from './log.ts';

export type RedisConnection = Redis | Cluster;

/** `queue`: waits for Redis to come back, as BullMQ asks. `limiter`: fails at once, because a request waits for the answer. */
export type RedisUse = 'queue' | 'limiter';

const OPTIONS = {
  queue: { maxRetriesPerRequest: null },
  // With the default options a Redis that is away would hang a request for more than 15 s (measured).
  limiter: { enableOfflineQueue: false, maxRetriesPerRequest: 1, commandTimeout: 200 },
} as const;

/** Opens a connection to REDIS_URL: one node, or, when several URLs are separated by commas, the cluster that they belong to. */
export function openRedis(redisUrl: string, use: RedisUse, log: Log): RedisConnection {
  const urls = redisUrl.split(',');
  const [first = redisUrl] = urls;
  const connection = urls.length === 1 ? new Redis(first, OPTIONS[use]) : openCluster(urls, use);
  // Without a listener a lost connection would end the process. Logged on each change only, not on each try to reconnect.
  let isDown = false;
  connection.on('error', (error: unknown) => {
    if (!isDown) log.warn('Redis is away', { use, error: messageOf(error) });
    isDown = true;
  });
  connection.on('ready', () => {
    if (isDown) log.info('Redis is back', { use });
    isDown = false;
  });
  return connection;
}

/** The nodes that own keys: the one, or every master of a cluster. */
export function ownersOfKeys(connection: RedisConnection): Redis[] {
  return connection instanceof Cluster ? connection.nodes('master') : [connection];
}

function openCluster(urls: readonly string[], use: RedisUse): Cluster {
  const { username, password, protocol } = new URL(urls[0] ?? '');
  const credentials = {
    ...(username === '' ? {} : { username: decodeURIComponent(username) }),
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
    ...(protocol === 'rediss:' ? { tls: {} } : {}),
  };
  const { enableOfflineQueue, ...redisOptions } = { enableOfflineQueue: true, ...OPTIONS[use] };
  return new Cluster([...urls], { enableOfflineQueue, redisOptions: { ...redisOptions, ...credentials } });
}
