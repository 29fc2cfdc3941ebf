import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StartError } from '../platform/config/config.ts';
import type { Context } from '../platform/context.ts';
import { messageOf } from '../platform/log.ts';
import { openRedis } from '../platform/redis/open.ts';
import { createApp, type AppOptions } from './app.ts';
import { PageStreams } from './checkout/page-streams.ts';
import { drainable } from './drain.ts';
import { KeyRequests } from './logging/key-requests.ts';
import { createServer } from './server.ts';

export interface Web {
  readonly port: number;
  /** Takes no new connections and lets the requests under way end. */
  close(): Promise<void>;
}

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
