import { Redis } from 'ioredis';
import { StartError } from '../config/config.ts';
import { parseRedisUrl } from '../values/redis-urls.ts';
import { credentialsOf } from './open.ts';
import { speaksRedis, speaksTls } from './speaks.ts';

/** A start waits at most twice this long: a Redis that is away may come back later. */
const CHECK_MS = 2_000;

/** What a Redis says of itself: a server of its own, a node of a cluster, a sentinel. */
type RedisMode = 'standalone' | 'cluster' | 'sentinel';

interface Found {
  readonly mode: RedisMode;
  /** The names of the masters that a sentinel watches. */
  readonly masters: readonly string[];
}

const UNKNOWN_AUTHORITY =
  'has a certificate whose authority is not trusted here: start with NODE_EXTRA_CA_CERTS=/path/ca.pem, the certificate of that authority';
/** The codes of Node for certificates that no later try accepts. */
const CERTIFICATE_FAULTS: Readonly<Record<string, string>> = {
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_AUTHORITY,
  ERR_TLS_CERT_ALTNAME_INVALID: 'has a certificate that is for another host: write a name that it holds',
  CERT_HAS_EXPIRED: 'has a certificate that is not valid at this time: it has expired',
  CERT_NOT_YET_VALID: 'has a certificate that is not valid at this time: it begins later',
};

/**
 * Throws StartError when REDIS_URL leads to another kind of Redis than it says: one node of a cluster or a
 * sentinel instead of a server, a server instead of a cluster. Such a Redis would accept connections, and the
 * queues would move nothing. Also when a server's certificate is refused: no later try accepts it. A Redis
 * that does not respond, or does not say what it is, is not checked.
 */
export async function assertRedis(redisUrl: string): Promise<void> {
  const { kind, nodes, master } = parseRedisUrl(redisUrl);
  const all = await Promise.all(nodes.map(ask));
  for (const [i, found] of all.entries()) {
    const fault = typeof found === 'string' || found === null ? found : faultOf(kind, found, master);
    if (fault !== null) throw new StartError(`REDIS_URL: ${new URL(nodes[i] ?? '').host} ${fault}`);
  }
}

function faultOf(
  kind: 'server' | 'cluster' | 'sentinel',
  { mode, masters }: Found,
  master: string | null,
): string | null {
  const names = masters.length === 0 ? 'NAME' : masters.join(' or ');
  if (kind !== 'sentinel' && mode === 'sentinel')
    return `is a sentinel, not a server: write redis-sentinel://host:26379,host:26379/${names}`;
  if (kind === 'server' && mode === 'cluster')
    return 'is one node of a Redis Cluster: write the URLs of several of its nodes with commas, redis://host:6379,redis://host:6379 (the same one twice where there is only one)';
  if (kind === 'cluster' && mode === 'standalone')
    return 'is a server of its own and no node of a cluster: several URLs name a cluster; write one, or redis-sentinel://';
  if (kind === 'sentinel' && mode !== 'sentinel')
    return 'is no sentinel: redis-sentinel:// names the sentinels, whose port is 26379 as a rule, not the servers';
  if (kind === 'sentinel' && master !== null && masters.length > 0 && !masters.includes(master))
    return `watches ${names}, and no master with the name ${master}`;
  return null;
}

/**
 * Returns a text where its certificate is refused, or where one side speaks TLS and the other does not; null
 * where nothing is known.
 */
async function ask(url: string): Promise<Found | string | null> {
  const { hostname, port: named, protocol } = new URL(url);
  const [host, port] = [hostname.replace(/^\[|\]$/g, ''), Number(named || 6379)];
  const client = new Redis({
    host,
    port,
    ...credentialsOf(url),
    lazyConnect: true,
    connectTimeout: CHECK_MS,
    commandTimeout: CHECK_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
    // A sentinel has no databases, and a server that loads its data is none that is wrong.
    enableReadyCheck: false,
  });
  let code = '';
  client.on('error', (error: NodeJS.ErrnoException) => (code = error.code ?? ''));
  try {
    await client.connect();
    const mode = /^redis_mode:(standalone|cluster|sentinel)/m.exec(await client.info('server'))?.[1];
    if (mode === undefined) return null;
    return { mode: mode as RedisMode, masters: mode === 'sentinel' ? await mastersOf(client) : [] };
  } catch {
    return CERTIFICATE_FAULTS[code] ?? (await tlsFault(protocol, host, port));
  } finally {
    client.disconnect();
  }
}

/** A server without TLS waits silently for the rest of a handshake, which looks like one that is away. */
async function tlsFault(protocol: string, host: string, port: number): Promise<string | null> {
  if (protocol === 'rediss:')
    return (await speaksRedis(host, port, CHECK_MS))
      ? 'speaks no TLS on this port: name its TLS port, or write redis:// where the network is your own'
      : null;
  return (await speaksTls(host, port, CHECK_MS)) ? 'speaks TLS: write rediss://' : null;
}

async function mastersOf(client: Redis): Promise<string[]> {
  const masters = (await client.call('SENTINEL', 'MASTERS')) as string[][];
  return masters.map((fields) => fields[fields.indexOf('name') + 1] ?? '');
}
