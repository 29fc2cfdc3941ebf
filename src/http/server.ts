import { createServer as createHttpServer, IncomingMessage, ServerResponse, type Server } from 'node:http';
import type { Express } from 'express';
import type { Log } from '../platform/log.ts';
import { inTurn } from './in-turn.ts';
import { answerClientErrors } from './protocol/client-errors.ts';

export interface ServerOptions {
  readonly log?: Log;
  /** Called with each response when its request is about to be handled. */
  readonly onTurn?: (response: ServerResponse) => void;
}

/**
 * Creates an HTTP server whose requests and responses already have Express's prototypes.
 *
 * Express replaces the prototype of both objects on every request, and V8 drops its optimisations for an
 * object whose prototype changes: 10,098 instead of 6,577 creating requests per second on the same two cores.
 * When Node constructs them with the right prototypes, the replacement changes nothing. This relies on two
 * facts that `test/http/server.test.ts` checks: Express sets the prototypes to `app.request` and
 * `app.response`, and those have a writable `app`.
 */
export function createServer(app: Express, { log, onTurn }: ServerOptions = {}): Server {
  class Request extends IncomingMessage {}
  class Response extends ServerResponse<Request> {}
  inherit(Request.prototype, app.request, app);
  inherit(Response.prototype, app.response, app);
  app.request = Request.prototype as Express['request'];
  app.response = Response.prototype as Express['response'];
  const listener = inTurn(app, {
    onTurn,
    onClosed: () => log?.warn('connection closed: too many pipelined requests wait'),
    onLeft: () => log?.info('request not handled: its client has left'),
  });
  const server = createHttpServer(
    { IncomingMessage: Request, ServerResponse: Response, ...LIMITS, requireHostHeader: false },
    listener,
  );
  answerClientErrors(server, listener, (socket) => new Response(new Request(socket)));
  server.timeout = SILENCE_MS;
  return server;
}

/**
 * Headers must arrive within 10 s and the whole request within 30 s: a slow sender cannot keep a connection.
 */
const LIMITS = { headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 65_000 };

/**
 * A connection without a byte in either direction for this long is closed: the client does not read its
 * response. No endpoint works this long, and open streams have heartbeats.
 */
const SILENCE_MS = 300_000;

function inherit(prototype: object, parent: object, app: Express): void {
  Object.setPrototypeOf(prototype, parent);
  Object.defineProperty(prototype, 'app', {
    configurable: true,
    enumerable: true,
    writable: true,
    value: app,
  });
}
