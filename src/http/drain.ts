import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';

/**
 * How long a connection that is idle when the server begins to drain may still bring a request: one may be on
 * its way already.
 */
const IDLE_GRACE_MS = 500;
/** The time that a client has to send the rest of a request that it began, and to read its response. */
const CLIENT_GRACE_MS = 10_000;
/**
 * The time of everything else, such as an advance of a test clock, whose webhooks are waited for: it leaves
 * the process 10 s to close what it has open (processes/setup/lifetime.ts).
 */
const RESPONSE_GRACE_MS = 15_000;
/** Connections are looked at so often: each is closed soon after its last response. */
const SWEEP_MS = 50;

/** An open connection. */
interface Connection {
  /** The one whose turn it is, or was last; null: no request has come on it. */
  response: ServerResponse | null;
  /** What had been read of it when the server began to drain. */
  bytesBefore: number;
}

/**
 * Creates a server that can close without cutting a request. `drain` stops listening, and marks the response
 * whose turn it is on each open connection, or the next one, as its last (`Connection: close`): pipelined
 * requests behind it are not handled, and their client sends them again elsewhere (RFC 9112, section 9.3.2).
 * It closes an idle connection after a short while, because a client may be sending on it at this moment, and
 * cuts what is left after 15 s. Resolves when the last one is closed.
 */
export function drainable(create: (onTurn: (response: ServerResponse) => void) => Server): {
  readonly server: Server;
  readonly drain: () => Promise<void>;
} {
  const open = new Map<Socket, Connection>();
  let isDraining = false;
  const server = create((response) => {
    const connection = open.get(response.req.socket);
    if (connection !== undefined) connection.response = response;
    if (isDraining) response.shouldKeepAlive = false;
  });
  server.on('connection', (socket: Socket) => {
    open.set(socket, { response: null, bytesBefore: 0 });
    socket.once('close', () => open.delete(socket));
  });
  const drain = async () => {
    isDraining = true;
    for (const [socket, connection] of open) {
      connection.bytesBefore = socket.bytesRead;
      if (connection.response?.headersSent === false) connection.response.shouldKeepAlive = false;
    }
    const closed = once(server, 'close');
    const begin = performance.now();
    // http's own close() would cut idle connections at once, and stop its timeouts.
    NetServer.prototype.close.call(server);
    const sweep = setInterval(() => {
      const drainedMs = performance.now() - begin;
      for (const [socket, connection] of open) if (isOver(socket, connection, drainedMs)) socket.destroy();
    }, SWEEP_MS);
    await closed;
    clearInterval(sweep);
  };
  return { server, drain };
}

/**
 * Whether a connection is closed, so long after the server began to drain. http's own closeIdleConnections()
 * would also close one whose client is still reading the end of its response.
 */
function isOver(socket: Socket, { response, bytesBefore }: Connection, drainedMs: number): boolean {
  if (drainedMs >= RESPONSE_GRACE_MS) return true;
  const isSent = response === null || response.writableFinished;
  if (drainedMs >= CLIENT_GRACE_MS) return isSent || !response.req.complete || socket.writableLength > 0;
  const isQuiet = socket.bytesRead === (response === null ? 0 : bytesBefore);
  return drainedMs >= IDLE_GRACE_MS && isSent && isQuiet;
}
