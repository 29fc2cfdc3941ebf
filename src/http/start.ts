import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartError } from '../platform/config/config.ts';
import type { Context } from '../platform/context.ts';
import { messageOf } from '../platform/log.ts';
import { openRedis } from '../platform/redis/open.ts';
import { createApp, type AppOptions } from './app.ts';
import { PageStreams } from './checkout/page-streams.ts';
import { KeyRequests } from './logging/key-requests.ts';
import { createServer } from './server.ts';

export interface Web {
  readonly port: number;
  /** Takes no new connections and lets the requests under way end. */
  close(): Promise<void>;
}

/**
 * How long a connection that is idle when the server begins to drain may still bring a request: one may be on
 * its way already.
 */
const IDLE_GRACE_MS = 500;
/** After that, idle connections are closed at this interval: each soon after its last response. */
const DRAIN_INTERVAL_MS = 50;
/** The time that a client has to send the header of a request that it began, and to read its response. */
const HEADER_GRACE_MS = 10_000;

/** Serves the API and the checkout page on HOST and PORT. Throws StartError when it cannot listen there. */
export async function startWeb(
  ctx: Context,
  options: Omit<AppOptions, 'redis' | 'live' | 'keyRequests'>,
): Promise<Web> {
  const { host, port, redisUrl } = ctx.config;
  const redis = redisUrl === null ? null : openRedis(redisUrl, 'limiter', ctx.log);
  const live = new PageStreams(ctx);
  const keyRequests = new KeyRequests(ctx);
  const { server, drain } = drainable((onTurn) =>
    createServer(createApp(ctx, { ...options, redis, live, keyRequests }), { log: ctx.log, onTurn }),
  );
  try {
    await listenOn(server, host, port);
  } catch (error) {
    redis?.disconnect();
    throw error;
  }
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      // They would never end; their pages reconnect to another process.
      live.close();
      await drain();
      await keyRequests.store();
      redis?.disconnect();
    },
  };
}

/** Throws StartError when the server cannot listen there. */
export async function listenOn(server: Server, host: string, port: number): Promise<void> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new StartError(`Cannot listen on port ${port} of ${host}: ${messageOf(error)}`);
  }
}

/**
 * Creates a server that can close without cutting a request. `drain` stops listening, and marks the response
 * whose turn it is on each open connection, or the next one, as its last (`Connection: close`): pipelined
 * requests behind it are not handled, and their client sends them again elsewhere (RFC 9112, section 9.3.2).
 * It closes an idle connection after a short while, because a client may be sending on it at this moment.
 * Resolves when the last one is closed.
 */
function drainable(create: (onTurn: (response: ServerResponse) => void) => Server): {
  readonly server: Server;
  readonly drain: () => Promise<void>;
} {
  const latest = new Map<Socket, ServerResponse | null>();
  let isDraining = false;
  const server = create((response) => {
    latest.set(response.req.socket, response);
    if (isDraining) response.shouldKeepAlive = false;
  });
  server.on('connection', (socket: Socket) => {
    latest.set(socket, null);
    socket.once('close', () => latest.delete(socket));
  });
  const drain = async () => {
    isDraining = true;
    for (const response of latest.values())
      if (response?.headersSent === false) response.shouldKeepAlive = false;
    const closed = once(server, 'close');
    const begin = performance.now();
    // http's own close() would cut idle connections at once, and stop its timeouts.
    NetServer.prototype.close.call(server);
    while (latest.size > 0 && performance.now() < begin + IDLE_GRACE_MS) await sleep(DRAIN_INTERVAL_MS);
    const sweep = setInterval(
      () => closeIdle(server, latest, performance.now() > begin + HEADER_GRACE_MS),
      DRAIN_INTERVAL_MS,
    );
    await closed;
    clearInterval(sweep);
  };
  return { server, drain };
}

/**
 * Node counts a connection that never sent a byte, as browsers and load balancers keep them ready, among
 * those that are busy.
 */
function closeIdle(
  server: Server,
  latest: ReadonlyMap<Socket, ServerResponse | null>,
  isLate: boolean,
): void {
  server.closeIdleConnections();
  for (const [socket, response] of latest) {
    const isSilent = response === null && (isLate || socket.bytesRead === 0);
    // Its client does not read: the connection would outlast the time to drain.
    const isUnread = isLate && socket.writableLength > 0;
    // Nor does it send the rest of its request.
    const isUnsent = isLate && response?.req.complete === false;
    if (isSilent || isUnread || isUnsent) socket.destroy();
  }
}
