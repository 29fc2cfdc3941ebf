import { Cluster, Redis, type RedisOptions } from 'ioredis';
import type { Log } from '../log.ts';
import { faultOf } from '../logging/reasons.ts';
import { watchReplies } from '../logging/watch-replies.ts';
import { parseRedisUrl, type RedisAddresses } from '../values/redis-urls.ts';
import { endsInEveryState } from './disconnect.ts';

export type RedisConnection = Redis | Cluster;

/**
 * `queue`: waits until Redis is back, as BullMQ requires. `limiter`: fails at once, because a request waits
 * for it. `health`: fails at once, and after 2 s where Redis does not respond.
 */
export type RedisUse = 'queue' | 'limiter' | 'health';

/** Finds a server that vanished while a worker waits for a job. */
const KEEP_ALIVE_MS = 10_000;

const OPTIONS = {
  queue: { maxRetriesPerRequest: null, keepAlive: KEEP_ALIVE_MS },
  // With the default options an unavailable Redis would delay a request for more than 15 s (measured). How
  // long one waits for a reply is the limiter's: a late reply still says how far the counts are.
  limiter: { enableOfflineQueue: false, maxRetriesPerRequest: 1 },
  health: { enableOfflineQueue: false, maxRetriesPerRequest: 1, commandTimeout: 2_000 },
} as const;

/**
 * A master that was demoted keeps its connections: connect again, to the new one, and repeat the command. The
 * check of the health reports the error.
 */
const RECONNECT_AND_RESEND = 2;
const reconnectOnError = (use: RedisUse) => (error: Error) =>
  error.message.startsWith('READONLY') && (use === 'health' || RECONNECT_AND_RESEND);

/** Opens a connection to REDIS_URL: one server, a cluster, or the master that sentinels name. */
export function openRedis(redisUrl: string, use: RedisUse, log: Log): RedisConnection {
  const addresses = parseRedisUrl(redisUrl);
  const connection = endsInEveryState(open(addresses, use));
  logChanges(connection, use, log);
  return connection;
}

/**
 * Logs each change, not each try to reconnect. Without a listener a lost connection would end the process; a
 * server that hangs breaks no connection, and is noticed by its missing replies.
 */
function logChanges(connection: RedisConnection, use: RedisUse, log: Log): void {
  let isDown = false;
  const onDown = (message: string, fields: object) => {
    if (!isDown) log.warn(message, { use, ...fields });
    isDown = true;
  };
  const onUp = () => {
    if (isDown) log.info('Redis available again', { use });
    isDown = false;
  };
  connection.on('error', (error: unknown) => onDown('Redis unavailable; reconnecting', faultOf(error)));
  connection.on('ready', onUp);
  // Its only command is a check already (ops/health/redis.ts).
  if (use === 'health') return;
  const watch = watchReplies(() => Promise.all(ownersOfKeys(connection).map((node) => node.ping())), {
    onHung: (afterMs) =>
      onDown(CONSEQUENCE[use], { reason: `Redis: no reply to PING within ${afterMs / 1000} s (it hangs)` }),
    onFailed: (error) => onDown(CONSEQUENCE[use], faultOf(error)),
    onReply: () => connection.status === 'ready' && onUp(),
  });
  connection.once('end', () => watch.stop());
}

const CONSEQUENCE: Readonly<Record<Exclude<RedisUse, 'health'>, string>> = {
  queue: 'Redis does not serve the queues; jobs wait in Postgres',
  limiter: 'Redis does not count requests; limits are counted in memory',
};

function open(addresses: RedisAddresses, use: RedisUse): RedisConnection {
  const { kind, nodes } = addresses;
  if (kind === 'cluster') return openCluster(nodes, use);
  const options = { ...OPTIONS[use], reconnectOnError: reconnectOnError(use) };
  if (kind === 'sentinel') return new Redis({ ...options, ...sentinelOptions(addresses) });
  return new Redis(nodes[0] ?? '', options);
}

/** The nodes that own keys: the one, or every master of a cluster. */
export function ownersOfKeys(connection: RedisConnection): Redis[] {
  return connection instanceof Cluster ? connection.nodes('master') : [connection];
}

/** What a URL says beside its host. */
export function credentialsOf(url: string): Pick<RedisOptions, 'username' | 'password' | 'tls'> {
  const { username, password, protocol } = new URL(url);
  return {
    ...(username === '' ? {} : { username: decodeURIComponent(username) }),
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
    ...(protocol === 'rediss:' ? { tls: {} } : {}),
  };
}

/**
 * The user and the password are those of the servers. A password without a user is given to the sentinels as
 * well: one that asks for none ignores it.
 */
function sentinelOptions({ nodes, master, database }: RedisAddresses) {
  const { username, password, tls } = credentialsOf(nodes[0] ?? '');
  return {
    sentinels: nodes.map((node) => {
      const { hostname, port } = new URL(node);
      return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) };
    }),
    name: master ?? '',
    db: database,
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(password === undefined || username !== undefined ? {} : { sentinelPassword: password }),
    ...(tls === undefined ? {} : { tls, sentinelTLS: tls, enableTLSForSentinelMode: true }),
  };
}

function openCluster(nodes: readonly string[], use: RedisUse): Cluster {
  const { enableOfflineQueue, ...redisOptions } = { enableOfflineQueue: true, ...OPTIONS[use] };
  return new Cluster([...nodes], {
    enableOfflineQueue,
    redisOptions: { ...redisOptions, ...credentialsOf(nodes[0] ?? '') },
  });
}
