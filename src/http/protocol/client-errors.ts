import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ApiError } from '../../domain/api/errors.ts';
import { faultOfParser, noteFault, type ParserError } from './faults.ts';

/** After a last response: its client may still be sending, and a reset would take the response from it. */
const LINGER_MS = 1_000;

/**
 * Hands what Node's HTTP layer refuses to the routes, as a request with a fault, so that it gets a response
 * like any other: Node's own have no body and no request id. `create` makes a request and its response for a
 * connection. The connection ends after it, because where the next request begins is unknown.
 */
export function answerClientErrors(
  server: Server,
  listener: RequestListener,
  create: (socket: Socket) => ServerResponse,
): void {
  const latest = new WeakMap<Socket, { response: ServerResponse; isSent: boolean }>();
  const note = (_request: IncomingMessage, response: ServerResponse) => {
    const last = { response, isSent: false };
    latest.set(response.req.socket, last);
    response.once('close', () => (last.isSent = true));
  };
  server.prependListener('request', note);
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    note(request, response);
    noteFault(request, new ApiError('expectation_failed'));
    listener(request, response);
  });

  const refused = new WeakSet<Socket>();
  server.on('clientError', (error: ParserError, socket: Socket) => {
    // The parser reports each later byte as well, while the response is on its way.
    if (refused.has(socket)) return;
    refused.add(socket);
    const isRequest = error.code?.startsWith('HPE_') === true || error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
    const respondOrClose = () => {
      if (isRequest && socket.writable) respond(error, socket, listener, create);
      else socket.destroy();
    };
    const last = latest.get(socket);
    if (last === undefined || !isRequest) return respondOrClose();
    const { response, isSent } = last;
    if (response.req.complete) return isSent ? respondOrClose() : response.once('close', respondOrClose);
    // A response to the rest of a body that nobody waited for would be taken for that of the next request.
    if (isSent) return socket.destroy();
    cutBody(response, faultOfParser(error, response.req.url ?? ''));
  });
}

function respond(
  error: ParserError,
  socket: Socket,
  listener: RequestListener,
  create: (socket: Socket) => ServerResponse,
): void {
  const response = create(socket);
  const { method, target } = firstLineOf(error);
  Object.assign(response.req, { method, url: target, httpVersion: '1.1', complete: true });
  noteFault(response.req, faultOfParser(error, target));
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.once('finish', () => endSlowly(socket));
  listener(response.req, response);
}

/**
 * The request in which the parser stopped, as far as it has come. A target that is not known, or no path, is
 * taken for one of the API: its clients read the response.
 */
function firstLineOf({ rawPacket, bytesParsed = 0 }: ParserError): { method: string; target: string } {
  const text = rawPacket?.toString('latin1') ?? '';
  // Not the end of the header that the parser stopped in: that of one before it, which it has read whole.
  const begin = text.lastIndexOf('\r\n\r\n', bytesParsed - 4);
  const [, method = 'GET', target = ''] =
    /^(?:\r\n)*([A-Z]{1,20}) (\/\S*|http:\/\/\S*)/.exec(text.slice(begin === -1 ? 0 : begin + 4)) ?? [];
  return { method, target: target === '' ? '/v1' : target };
}

/**
 * Ends a body within which the parser stopped: whoever reads it gets the fault, and nobody takes the part for
 * the whole. A response that does not depend on it goes on.
 */
function cutBody(response: ServerResponse, fault: ApiError): void {
  const { req: request } = response;
  noteFault(request, fault);
  response.shouldKeepAlive = false;
  response.once('finish', () => endSlowly(request.socket));
  request.emit('aborted');
  request.complete = true;
  request.push(null);
}

function endSlowly(socket: Socket): void {
  socket.end();
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(timer));
}
