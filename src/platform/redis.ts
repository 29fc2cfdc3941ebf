import { Cluster, Redis } from 'ioredis';
import type { Log } from './log.ts';
import { messageOf } from './log.ts';

export type RedisConnection = Redis | Cluster;

/**
 * `queue`: waits until Redis is back, as BullMQ requires. `limiter`: fails at once, because a request waits
 * for it.
 */
export type RedisUse = 'queue' | 'limiter';

const OPTIONS = {
  queue: { maxRetriesPerRequest: null },
  // With the default options an unavailable Redis would delay a request for more than 15 s (measured).
  limiter: { enableOfflineQueue: false, maxRetriesPerRequest: 1, commandTimeout: 200 },
} as const;

/**
 * Opens a connection to REDIS_URL: one node, or the cluster of several nodes whose URLs are separated by
 * commas.
 */
export function openRedis(redisUrl: string, use: RedisUse, log: Log): RedisConnection {
  const urls = redisUrl.split(',');
  const [first = redisUrl] = urls;
  const connection = urls.length === 1 ? new Redis(first, OPTIONS[use]) : openCluster(urls, use);
  // Without a listener a lost connection would end the process. Logs each change, not each try to reconnect.
  let isDown = false;
  connection.on('error', (error: unknown) => {
    if (!isDown) log.warn('Redis unavailable; reconnecting', { use, error: messageOf(error) });
    isDown = true;
  });
  connection.on('ready', () => {
    if (isDown) log.info('Redis available again', { use });
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
