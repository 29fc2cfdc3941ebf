import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A way to Postgres that counts. */
export interface CountingProxy {
  /** The same database, by way of the proxy. */
  readonly url: string;
  /** How often a client has asked and then waited: messages Query and Sync of Postgres's protocol. */
  count(): number;
  close(): void;
}

/**
 * Counts what clients wait for. Statements that travel together and end in one Sync are one round trip, as
 * are those that a client sends before the answer to the first has come.
 */
export async function startCountingProxy(databaseUrl: string): Promise<CountingProxy> {
  const url = new URL(databaseUrl);
  const target = { host: url.hostname, port: Number(url.port) };
  const open = new Set<Socket>();
  let trips = 0;
  const server = createServer((client) => {
    const upstream = connect(target);
    const read = asking();
    let isWaiting = false;
    client.on('data', (data) => {
      const asked = read(data);
      if (asked && !isWaiting) trips += 1;
      isWaiting ||= asked;
      upstream.write(data);
    });
    upstream.on('data', (data) => {
      isWaiting = false;
      client.write(data);
    });
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(socket.setNoDelay(true));
      socket.on('error', () => undefined);
      socket.on('close', () => {
        open.delete(socket);
        other.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    count: () => trips,
    close() {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}

const QUERY = 'Q'.charCodeAt(0);
const SYNC = 'S'.charCodeAt(0);

/** Returns a function that reads what a client sends, and says whether it asks for an answer with it. */
function asking(): (data: Buffer) => boolean {
  let rest: Buffer = Buffer.alloc(0);
  // The first message has no type: only its length, and what the connection is for.
  let isStarted = false;
  return (data) => {
    rest = rest.length === 0 ? data : Buffer.concat([rest, data]);
    let asks = false;
    for (;;) {
      const typed = isStarted ? 1 : 0;
      if (rest.length < typed + 4) return asks;
      const length = typed + rest.readUInt32BE(typed);
      if (rest.length < length) return asks;
      asks ||= isStarted && (rest[0] === QUERY || rest[0] === SYNC);
      isStarted = true;
      rest = rest.subarray(length);
    }
  };
}
