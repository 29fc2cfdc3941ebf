import { Cluster, type Redis } from 'ioredis';

type Client = Redis | Cluster;

/** The open duplicates of a client: BullMQ's workers block on them. */
const duplicatesOf = new WeakMap<Client, Set<Client>>();

/**
 * Makes `disconnect` end a client, and each of its duplicates, in every state. While it waits to connect
 * again, and while a cluster has no node, there is no connection whose close it could see, so ioredis never
 * emits `end`, and what waits in its queue waits for ever. BullMQ's workers wait for both when they are
 * closed: a process would not end while Redis is away or fails over.
 */
export function endsInEveryState<T extends Client>(client: T): T {
  const duplicate = client.duplicate.bind(client) as (...args: unknown[]) => T;
  const duplicates = new Set<Client>();
  duplicatesOf.set(client, duplicates);
  return Object.assign(client, client instanceof Cluster ? endingCluster(client) : endingRedis(client), {
    duplicate(...args: unknown[]) {
      const copy = endsInEveryState(duplicate(...args));
      duplicates.add(copy);
      copy.once('end', () => duplicates.delete(copy));
      return copy;
    },
  });
}

function endingRedis(client: Redis) {
  const disconnect = client.disconnect.bind(client);
  let ended: object | null = null;
  return {
    disconnect(reconnect = false) {
      if (client.status === 'end') return;
      // Every command that a demoted master refuses asks for another connection: once is enough. ioredis adds
      // a listener to the socket each time, and Node warns of the eleventh: 1,167 lines in three minutes.
      const { stream } = client;
      // Before its first connection it has none, whatever its type says.
      const socket = (stream as object | undefined) ?? null;
      if (reconnect && client.status === 'ready' && socket !== null && socket === ended) return;
      ended = socket;
      if (!reconnect && socket !== null && client.status === 'reconnecting')
        void client.connect().catch(() => undefined);
      disconnect(reconnect);
    },
  };
}

/**
 * A cluster that has no node ends by beginning to connect, which gives it nodes, and by closing these before
 * they are asked for anything. It never connects as a whole: the promise of ioredis settles no more once a
 * node that has answered is gone, and the client would connect again and again.
 */
function endingCluster(cluster: Cluster) {
  const [disconnect, quit] = [cluster.disconnect.bind(cluster), cluster.quit.bind(cluster)];
  // BullMQ writes `end` into the status by itself.
  let hasEnded = false;
  cluster.on('connecting', () => (hasEnded = false));
  cluster.on('end', () => (hasEnded = true));
  const end = () => {
    // Somebody connects again.
    if (hasEnded || cluster.status === 'connecting' || cluster.status === 'ready') return;
    const close = () => process.nextTick(disconnect);
    cluster.once('+node', close);
    cluster
      .connect()
      .catch(() => undefined)
      .finally(() => cluster.off('+node', close));
  };
  /** BullMQ connects again at once, where it recovers from a failure: so later. */
  const endSoon = (isEmpty: boolean) => isEmpty && setImmediate(end);
  const isEmpty = () => cluster.nodes().length === 0;
  return {
    disconnect(reconnect = false) {
      if (hasEnded) return;
      const wasEmpty = isEmpty();
      disconnect(reconnect);
      endSoon(wasEmpty && !reconnect);
    },
    async quit(): Promise<'OK'> {
      const wasEmpty = isEmpty();
      if (hasEnded) return 'OK';
      const done = await quit();
      endSoon(wasEmpty);
      return done;
    },
  };
}

/**
 * From now on no command waits for a server that is away: the client and its duplicates end instead of
 * connecting again, and what waits fails. Returns whether the server is away now.
 */
export function stopWaiting(client: Client): boolean {
  const isAway = client.status !== 'ready';
  for (const each of [client, ...(duplicatesOf.get(client) ?? [])]) {
    each.on('reconnecting', () => each.disconnect());
    if (each.status !== 'ready') each.disconnect();
  }
  return isAway;
}
