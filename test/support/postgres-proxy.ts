import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A way to Postgres that can break. */
export interface PostgresProxy {
  /** The same database, by way of the proxy. */
  readonly url: string;
  /**
   * From now on nothing gets through in either direction, and new connections are accepted and hear nothing.
   */
  freeze(): void;
  /** Freezes as soon as a client sends something that holds `text`, the name of a statement for instance. */
  freezeAt(text: string): void;
  /** Freezes at the first that a client sends and `isFirst` picks: Postgres does not get it. */
  freezeWhen(isFirst: (sent: string) => boolean): void;
  /**
   * From the first that a client sends and `isLast` picks: Postgres still gets everything, and nothing that
   * it sends arrives. It commits what its client never hears of.
   */
  withholdAt(isLast: (sent: string) => boolean): void;
  /** Closes what is open; new connections go through again. */
  thaw(): void;
  /** From now on everything that Postgres sends arrives this much later, in its order. */
  delay(ms: number): void;
  close(): Promise<void>;
}

/** Stands between a test and `databaseUrl`. */
export async function startPostgresProxy(databaseUrl: string): Promise<PostgresProxy> {
  const target = new URL(databaseUrl);
  const open = new Set<Socket>();
  let isFrozen = false;
  let freezeWhen: (sent: string) => boolean = () => false;
  let delayMs = 0;
  let withholdAt: (sent: string) => boolean = () => false;
  let isWithheld = false;
  const server = createServer((client) => {
    const upstream = connect(Number(target.port || 5432), target.hostname);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(from);
      from.on('data', (data) => {
        if (from === client && !isFrozen) isFrozen = freezeWhen(data.toString('latin1'));
        if (from === client && !isWithheld) isWithheld = withholdAt(data.toString('latin1'));
        if (isFrozen || (isWithheld && from === upstream)) return;
        if (from === upstream && delayMs > 0) setTimeout(() => to.write(data), delayMs);
        else to.write(data);
      });
      from.on('error', () => {});
      from.on('close', () => {
        open.delete(from);
        to.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  const closeAll = () => {
    for (const socket of open) socket.destroy();
  };
  return {
    url: url.href,
    freeze() {
      isFrozen = true;
    },
    freezeAt(text) {
      freezeWhen = (sent) => sent.includes(text);
    },
    freezeWhen(isFirst) {
      freezeWhen = isFirst;
    },
    withholdAt(isLast) {
      withholdAt = isLast;
    },
    thaw() {
      isFrozen = false;
      isWithheld = false;
      withholdAt = () => false;
      freezeWhen = () => false;
      closeAll();
    },
    delay(ms) {
      delayMs = ms;
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      closeAll();
      await closed;
    },
  };
}
