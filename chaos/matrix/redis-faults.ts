import { redisCall, startRedis, type RedisServer } from '../../test/support/redis.ts';
import { startSentinel } from '../../test/support/sentinel.ts';
import { until } from '../../test/support/until.ts';
import type { Fault } from './fault.ts';
import { allOf, restartBy, type Stand } from '../stand/stand.ts';

const AWAY_SECONDS = 20;
/** No server listens there. */
const DEAD_PORT = '9';

/** Runs commands on the Redis of the stand, one after the other. */
async function call(
  { redis }: Stand,
  ...commands: readonly (readonly [string, ...string[]])[]
): Promise<void> {
  for (const [name, ...args] of commands) await redisCall(serverOf(redis).url, name, ...args);
}

function serverOf(redis: RedisServer | null): RedisServer {
  if (redis === null) throw new Error('this engine has no Redis');
  return redis;
}

/** Redis {FLUSHALL, kill -9, away 20 s, SIGSTOP, OOM, READONLY, failover}. */
export const REDIS_FAULTS: readonly Fault[] = (
  [
    {
      name: 'redis: FLUSHALL',
      lastsSeconds: 0,
      begin: (stand) => call(stand, ['FLUSHALL']),
      end: () => undefined,
    },
    {
      name: 'redis: kill -9',
      lastsSeconds: 0,
      begin: ({ redis }) => serverOf(redis).stop(),
      end: ({ redis }) => serverOf(redis).start(),
    },
    {
      name: 'redis: away',
      lastsSeconds: AWAY_SECONDS,
      begin: ({ redis }) => serverOf(redis).stop(),
      end: ({ redis }) => serverOf(redis).start(),
    },
    {
      name: 'redis: SIGSTOP',
      lastsSeconds: AWAY_SECONDS,
      begin: ({ redis }) => serverOf(redis).freeze(),
      end: ({ redis }) => serverOf(redis).thaw(),
    },
    {
      name: 'redis: OOM',
      lastsSeconds: AWAY_SECONDS,
      begin: (stand) =>
        call(stand, ['CONFIG', 'SET', 'maxmemory-policy', 'noeviction'], ['CONFIG', 'SET', 'maxmemory', '1']),
      end: (stand) => call(stand, ['CONFIG', 'SET', 'maxmemory', '0']),
    },
    {
      name: 'redis: READONLY',
      lastsSeconds: AWAY_SECONDS,
      begin: (stand) => call(stand, ['REPLICAOF', '127.0.0.1', DEAD_PORT]),
      end: (stand) => call(stand, ['REPLICAOF', 'NO', 'ONE']),
    },
    {
      name: 'redis: failover',
      lastsSeconds: 0,
      prepare: attachReplica,
      begin: ({ redis }) => serverOf(redis).stop(),
      async end(stand) {
        const [replica] = replicas.splice(0);
        // The sentinel ends the connections of a server that it promotes, and so may end this one.
        await until('the replica is promoted', () =>
          redisCall(serverOf(replica ?? null).url, 'ROLE').then(
            (role) => Array.isArray(role) && role[0] === 'master',
            () => false,
          ),
        );
        stand.redis = serverOf(replica ?? null);
      },
      async restore(stand) {
        stand.env['REDIS_URL'] = serverOf(stand.redis).url;
        await restartBy(allOf(stand), 'terminate');
        for (const close of stand.closers.splice(0)) await close();
      },
    },
  ] satisfies Fault[]
).map((fault) => ({ ...fault, on: 'redis' }));

const replicas: RedisServer[] = [];

/** A replica, and a sentinel that promotes it; the processes ask the sentinel. */
async function attachReplica(stand: Stand): Promise<void> {
  const master = serverOf(stand.redis);
  // By a command, not by its settings: the faults that follow stop and start it as the master that it became.
  const replica = await startRedis();
  await redisCall(replica.url, 'REPLICAOF', '127.0.0.1', new URL(master.url).port);
  replicas.push(replica);
  const sentinel = await startSentinel('checkout', master);
  stand.closers.push(() => sentinel.stop());
  stand.env['REDIS_URL'] = `redis-sentinel://127.0.0.1:${sentinel.port}/checkout`;
  await restartBy(allOf(stand), 'terminate');
}
