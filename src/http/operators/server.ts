import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import type { Context } from '../../platform/context.ts';
import { faultOf } from '../../platform/logging/reasons.ts';
import { clientsBehind } from '../api/client-address.ts';
import { accessLog } from '../logging/access-log.ts';
import { createServer } from '../server.ts';
import { listenOn } from '../start.ts';
import { operatorHeaders } from './guards.ts';

export interface OperatorServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Serves the probes, and the operators' pages if there are any, on HOST and ADMIN_PORT. */
export async function startOperatorServer(
  ctx: Context,
  port: number,
  probes: RequestHandler,
  pages: RequestHandler | null,
): Promise<OperatorServer> {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.use(accessLog(ctx, clientsBehind(ctx.config.trustedProxies).addressOf));
  app.use(operatorHeaders, probes);
  if (pages !== null) app.use(pages);
  app.use((_request, response) => void response.status(404).send('Not found.'));
  app.use(failed(ctx));
  const server = createServer(app, { log: ctx.log });
  await listenOn(server, ctx.config.host, port);
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = once(server, 'close');
      server.close();
      // A scrape or a probe that is cut comes again; the process must not wait for an open board.
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Four parameters make it Express's handler of errors. */
function failed(ctx: Context): ErrorRequestHandler {
  return (error: unknown, _request, response, _next) => {
    ctx.log.error('operator page failed', faultOf(error));
    // The client must see the cut. Express's own handler would also print the error, secrets included.
    if (response.headersSent) {
      response.destroy();
      return;
    }
    response.status(500).send('Failed; the log says why.');
  };
}
