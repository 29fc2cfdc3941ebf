import { parseUrl } from './urls.ts';

export interface RedisAddresses {
  /** One server, a cluster that finds its nodes from these, or the sentinels of a named master. */
  readonly kind: 'server' | 'cluster' | 'sentinel';
  /** The URLs of the server, the nodes or the sentinels. */
  readonly nodes: readonly string[];
  /** The sentinels' name of the master; null unless there are sentinels. */
  readonly master: string | null;
  /** The database of the master; a cluster has only the first. */
  readonly database: number;
}

const SENTINEL_PORT = 26_379;
const SENTINEL_FORM =
  'must be redis-sentinel://host:26379,host:26379/name, with user:password@ before the hosts where the servers ask for it';

/**
 * Reads `redis://host:port/0`, several such URLs with commas (a cluster), or
 * `redis-sentinel://user:password@host:port,host:port/name/0`; rediss and rediss-sentinel connect with TLS.
 * Throws an error whose message completes the sentence "REDIS_URL ...".
 */
export function parseRedisUrl(value: string): RedisAddresses {
  if (/^rediss?-sentinel:/.test(value)) return parseSentinels(value);
  const nodes = value.split(',').map((node) => node.trim());
  return { kind: nodes.length === 1 ? 'server' : 'cluster', nodes, master: null, database: 0 };
}

function parseSentinels(value: string): RedisAddresses {
  const [, tls, user = '', hosts = '', name, database = '0'] =
    /^redis(s?)-sentinel:\/\/([^@/]*@)?([^@/]+)\/([A-Za-z0-9._-]+)(?:\/(\d+))?$/.exec(value) ?? [];
  if (name === undefined) throw new Error(SENTINEL_FORM);
  const nodes = hosts.split(',').map((host) => {
    const node = `redis${tls}://${user}${host}${/:\d+$/.test(host) ? '' : `:${SENTINEL_PORT}`}`;
    if (host === '' || parseUrl(node) === null) throw new Error(SENTINEL_FORM);
    return node;
  });
  return { kind: 'sentinel', nodes, master: name, database: Number(database) };
}
