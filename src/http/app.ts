import express, { type Express, type RequestHandler } from 'express';
import type { Context } from '../platform/context.ts';
import { DEFAULT_PER_MINUTE, type Endpoint } from '../domain/api/endpoint.ts';
import type { RedisConnection } from '../platform/redis/open.ts';
import { getValidator } from '../domain/api/validator.ts';
import { authenticator } from './api/authenticate.ts';
import { clientsBehind } from './api/client-address.ts';
import { missingPage, pageError } from './checkout/messages.ts';
import { checkoutRouter } from './checkout/router.ts';
import { simulatorRouter } from './checkout/simulator.ts';
import { linksRouter } from './links/router.ts';
import { deskRouter } from './desk/router.ts';
import { deskMessage } from './desk/messages.ts';
import { tillRouter } from './till/router.ts';
import { errorHandler } from './api/errors.ts';
import { PageStreams } from './checkout/page-streams.ts';
import { limitUnknownPaths, mount, type Gate } from './api/mount.ts';
import { literalPath, notFound, refuseMethod } from './api/path.ts';
import { limiters } from './api/rate-limit.ts';
import { docsRouter, type SiteSource } from './docs/router.ts';
import { readBuiltSite } from './docs/site.ts';
import { requestId } from './api/request-id.ts';
import { faultOf } from './protocol/faults.ts';
import { accessLog } from './logging/access-log.ts';
import { KeyRequests } from './logging/key-requests.ts';
import { traceRequests } from './logging/trace-requests.ts';
import { openApiDocument } from './openapi/document.ts';
import { OLD_OPENAPI_PATH, OPENAPI_PATH, redirectToDocument, serveDocument } from './openapi/serve.ts';
import { createEndpoints, type Dependencies } from './routes.ts';

export interface AppOptions extends Dependencies {
  /** Where limits are counted for all web processes together; null: each process counts for itself. */
  readonly redis: RedisConnection | null;
  /** What operators see (queues, metrics), behind their password; null: not here. */
  readonly admin: RequestHandler | null;
  /** `/livez` and `/readyz`, without limit. Default: not here. */
  readonly probes?: RequestHandler;
  /** The open checkout pages, which are closed before the server is. Default: the application's own. */
  readonly live?: PageStreams;
  /** What keys ask for, which is stored before the process ends. Default: the application's own. */
  readonly keyRequests?: KeyRequests;
  /** Where the documentation comes from. Default: what `npm run build` has rendered. */
  readonly docs?: SiteSource;
}

/**
 * The Express application, ready to be served: the API, the checkout page, the desk, the OpenAPI document,
 * the documentation and the operators' pages.
 */
export function createApp(
  ctx: Context,
  {
    redis,
    admin,
    probes,
    live,
    keyRequests = new KeyRequests(ctx),
    docs = () => Promise.resolve(readBuiltSite(ctx.config.sandbox)),
    ...dependencies
  }: AppOptions,
): Express {
  const app = express();
  app.disable('x-powered-by');
  // Hashing every response would cost more than the few 304 responses would save.
  app.disable('etag');
  app.set('query parser', false); // query.ts reads it.

  const gate: Gate = {
    ctx,
    validator: getValidator({ allowPrivate: ctx.config.allowPrivateNetworks }),
    authenticate: authenticator(ctx),
    limit: limiters(ctx, redis),
    clients: clientsBehind(ctx.config.trustedProxies),
  };
  app.use(accessLog(ctx, gate.clients.addressOf), traceRequests);
  app.use(literalPath);
  // Before everything that a request could wait for.
  if (probes !== undefined) app.use(probes);
  app.use('/v1', keyRequests.collect);
  const document = mountApi(app, createEndpoints(dependencies), gate);
  app.use(docsRouter(gate, () => docs(document)));
  app.use(checkoutRouter(gate, dependencies.adapters, live ?? new PageStreams(ctx)));
  app.use(linksRouter(gate, dependencies.adapters));
  const { adapters, sandbox } = dependencies;
  app.use(tillRouter(gate, adapters));
  app.use(deskRouter(gate, { mailer: adapters.mailer, adapters, sandbox }));
  const atDesk = deskMessage(ctx.config);
  app.use('/dashboard', missingPage(atDesk), pageError(ctx, atDesk));
  if (sandbox !== null) app.use(simulatorRouter(ctx, sandbox));
  if (admin !== null) app.use(admin);
  app.use(missingPage());
  app.use(pageError(ctx));
  return app;
}

/** Mounts the API with its OpenAPI document, which the returned function makes for who first reads it. */
function mountApi(app: Express, endpoints: readonly Endpoint[], gate: Gate): () => object {
  const { ctx, limit, clients } = gate;
  app.use(['/v1', OLD_OPENAPI_PATH], requestId(ctx), secure);
  app.use(refuseMalformed(limit('malformed', DEFAULT_PER_MINUTE, clients.addressOf)));
  mount(app, endpoints, gate);
  const limitDocument = limit('openapi', DEFAULT_PER_MINUTE, clients.addressOf);
  app.get(OLD_OPENAPI_PATH, limitDocument, redirectToDocument);
  let made: object | null = null;
  const document = () => (made ??= openApiDocument(endpoints, ctx.config.publicUrl));
  app.get(OPENAPI_PATH, limitDocument, serveDocument(document));
  app.all(OPENAPI_PATH, limitDocument, refuseMethod(['GET'], endpoints));
  app.use('/v1', ...limitUnknownPaths(gate), notFound(endpoints));
  app.use(['/v1', OLD_OPENAPI_PATH], errorHandler(ctx));
  return document;
}

/** Refuses requests whose bytes are at fault; `limit` limits them, and adds its headers. */
function refuseMalformed(limit: RequestHandler): RequestHandler {
  return (request, response, next) => {
    const fault = faultOf(request);
    if (fault === null) return next();
    return limit(request, response, (error?: unknown) => next(error ?? fault));
  };
}

/** JSON responses hold a merchant's data: they must not be cached, sniffed for a type or framed. */
const secure: RequestHandler = (_request, response, next) => {
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  next();
};
