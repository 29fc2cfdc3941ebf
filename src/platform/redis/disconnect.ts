import { Cluster, type Redis } from 'ioredis';

type Client = Redis | Cluster;

/** The open duplicates of a client: BullMQ's workers block on them. */
const duplicatesOf = new WeakMap<Client, Set<Client>>();

/**
 * Makes `disconnect` end a client, and each of its duplicates, in every state. While it waits to connect
 * again, and while a cluster looks up the addresses of its nodes, it has no connection whose close it could
 * see, so ioredis never emits `end`: it is given one. BullMQ's workers wait for that event when they are
 * closed: a process would not end while Redis is away or fails over.
 */
export function endsInEveryState<T extends Client>(client: T): T {
  const disconnect = client.disconnect.bind(client);
  const duplicate = client.duplicate.bind(client) as (...args: unknown[]) => T;
  const duplicates = new Set<Client>();
  duplicatesOf.set(client, duplicates);
  let ended: object | null = null;
  return Object.assign(client, {
    disconnect(reconnect = false) {
      if (client.status === 'end') return;
      // Every command that a demoted master refuses asks for another connection: once is enough. ioredis adds
      // a listener to the socket each time, and Node warns of the eleventh: 1,167 lines in three minutes.
      const socket = client instanceof Cluster ? null : client.stream;
      if (reconnect && client.status === 'ready' && socket !== null && socket === ended) return;
      ended = socket;
      const begin = () => client.connect().catch(() => undefined);
      if (!reconnect && socket !== null && client.status === 'reconnecting') void begin();
      disconnect(reconnect);
      if (!reconnect && client instanceof Cluster && client.nodes().length === 0)
        void begin().then(() => client.status !== 'end' && disconnect());
    },
    duplicate(...args: unknown[]) {
      const copy = endsInEveryState(duplicate(...args));
      duplicates.add(copy);
      copy.once('end', () => duplicates.delete(copy));
      return copy;
    },
  });
}

/**
 * From now on no command waits for a server that is away: the client and its duplicates end instead of
 * connecting again, and what waits fails. Returns whether the server is away now.
 */
export function stopWaiting(client: Client): boolean {
  const isAway = client.status !== 'ready';
  for (const each of [client, ...(duplicatesOf.get(client) ?? [])]) {
    // `close` is emitted when the next try is scheduled already.
    each.on('close', () => each.status === 'reconnecting' && each.disconnect());
    if (each.status !== 'ready') each.disconnect();
  }
  return isAway;
}
