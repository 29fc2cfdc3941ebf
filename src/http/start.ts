import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { RequestHandler } from 'express';
import type { Context } from '../platform/context.ts';
import { openRedis } from '../platform/redis.ts';
import { createApp } from './app.ts';
import { createServer } from './server.ts';

export interface Web {
  readonly port: number;
  /** Takes no new requests and lets those under way end. */
  close(): Promise<void>;
}

/** Idle connections are closed this often while the server drains: each one until its last answer is out. */
const DRAIN_INTERVAL_MS = 50;

/** Serves the API and the checkout page on HOST and PORT. Rejects with the system's error (EADDRINUSE) when it cannot listen. */
export async function startWeb(ctx: Context, admin: RequestHandler | null): Promise<Web> {
  const redis = ctx.config.redisUrl === null ? null : openRedis(ctx.config.redisUrl, 'limiter', ctx.log);
  const server = createServer(createApp(ctx, { redis, admin }));
  server.listen(ctx.config.port, ctx.config.host);
  try {
    await once(server, 'listening');
  } catch (error) {
    redis?.disconnect();
    throw error;
  }
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = once(server, 'close');
      server.close();
      const drain = setInterval(() => server.closeIdleConnections(), DRAIN_INTERVAL_MS);
      await closed;
      clearInterval(drain);
      redis?.disconnect();
    },
  };
}
