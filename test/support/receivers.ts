import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { CERTIFICATES, RECEIVER_KEY, type CertificateKind } from './certificates.ts';

export { TEST_AUTHORITY } from './certificates.ts';

/** One request as it arrived, body bytes untouched. */
export interface ReceivedRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** Header names are in lower case. */
  readonly headers: IncomingHttpHeaders;
  readonly rawBody: Buffer;
  readonly receivedAt: Date;
  /** 1 for the receiver's first connection; shows which connections are reused. */
  readonly connection: number;
}

export interface PlainAnswer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
}

/** Writes the response to the socket itself, like the hostile receivers below. */
export type RawAnswer = (response: ServerResponse, socket: Socket) => void | Promise<void>;

export type Answer = PlainAnswer | RawAnswer;

export interface ReceiverOptions {
  /** The response to each request; `index` is 0 for the first. Default: 200 without a body. */
  readonly answer?: (request: ReceivedRequest, index: number) => Answer | Promise<Answer>;
  /**
   * HTTPS with such a certificate; `silent`: accepts the connection and never sends a byte, not even of TLS.
   */
  readonly tls?: CertificateKind | 'silent';
  readonly host?: string;
  readonly port?: number;
}

export interface Receiver {
  /** Ends in `/hooks`. */
  readonly url: string;
  readonly port: number;
  /** In the order in which their bodies were complete. */
  readonly requests: readonly ReceivedRequest[];
  /** Connections accepted so far. */
  readonly connections: number;
  /** Connections that are open now. */
  readonly openConnections: number;
  /**
   * Resolves with all requests when there are `count` of them that `matches`; rejects after `timeoutMs` with
   * their number.
   */
  waitFor(
    count: number,
    options?: { matches?: (request: ReceivedRequest) => boolean; timeoutMs?: number },
  ): Promise<ReceivedRequest[]>;
  /** Resolves when the last open connection has ended; rejects after `timeoutMs`. */
  waitUntilQuiet(timeoutMs?: number): Promise<void>;
  /** Closes the server and destroys open connections. */
  close(): Promise<void>;
}

/** A real HTTP(S) server on a free local port that records what arrives. */
export async function startReceiver(options: ReceiverOptions = {}): Promise<Receiver> {
  const requests: ReceivedRequest[] = [];
  const changed = new Changes();
  const connectionNumbers = new WeakMap<Socket, number>();

  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const rawBody = await readBody(request);
    if (rawBody === null) return; // The client aborted the request: it does not count.
    const received: ReceivedRequest = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      rawBody,
      receivedAt: new Date(),
      connection: connectionNumbers.get(request.socket) ?? 0,
    };
    requests.push(received);
    changed.notify();
    await reply(response, (await options.answer?.(received, requests.length - 1)) ?? {});
  };

  const server = createServerFor(options.tls, (request, response) => void receive(request, response));
  const open = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections += 1;
    connectionNumbers.set(socket, connections);
    open.add(socket);
    socket.on('error', () => {}); // Some of these tests reset connections.
    socket.on('close', () => {
      open.delete(socket);
      changed.notify();
    });
  });
  server.on('secureConnection', (socket: Socket) => connectionNumbers.set(socket, connections));
  const host = options.host ?? '127.0.0.1';
  server.listen(options.port ?? 0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  return {
    url: `${options.tls === undefined ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}/hooks`,
    port,
    requests,
    get connections() {
      return connections;
    },
    get openConnections() {
      return open.size;
    },
    async waitFor(count, { matches = () => true, timeoutMs = 10_000 } = {}) {
      const arrived = () => requests.filter(matches);
      await changed.until(
        () => arrived().length >= count,
        timeoutMs,
        () => `${arrived().length} of ${count} requests arrived`,
      );
      return arrived();
    },
    waitUntilQuiet: (timeoutMs = 5_000) =>
      changed.until(
        () => open.size === 0,
        timeoutMs,
        () => `${open.size} connections are still open`,
      ),
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

/** Never answers. */
export const hang: RawAnswer = () => {};

/** Sends the header byte by byte, without an end. */
export function dripHeader(everyMs = 20): RawAnswer {
  return (_, socket) => drip(socket, 'HTTP/1.1 200 OK\r\nX-Slow: ', everyMs);
}

/** Sends the whole header at once, then the body byte by byte, without an end. */
export function dripBody(status = 200, everyMs = 20): RawAnswer {
  return (_, socket) => drip(socket, `HTTP/1.1 ${status} Drip\r\nContent-Length: 1000000\r\n\r\n`, everyMs);
}

/** Answers 103 Early Hints, without an end. */
export function dripHints(everyMs = 20): RawAnswer {
  return (_, socket) => drip(socket, '', everyMs, 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n');
}

/** Resets the connection (RST) before a byte of the answer. This and the other resets: without `tls` only. */
export const reset: RawAnswer = (_, socket) => {
  socket.resetAndDestroy();
};

/** Resets the connection in the middle of the header. */
export const resetInHeader: RawAnswer = (_, socket) => {
  socket.write('HTTP/1.1 200 OK\r\nContent-Le', () => socket.resetAndDestroy());
};

/** Sends the header and half the body, then closes (`end`) or resets (`reset`) the connection. */
export function truncatedBody(status = 200, how: 'end' | 'reset' = 'end'): RawAnswer {
  return (_, socket) => {
    socket.write(`HTTP/1.1 ${status} Cut\r\nContent-Length: 100\r\n\r\n${'x'.repeat(50)}`, () => {
      if (how === 'end') socket.end();
      // A moment later, because a reset discards what the other side has not read yet.
      else setTimeout(() => socket.resetAndDestroy(), 20);
    });
  };
}

/** Answers with a body of `bytes`, as fast as the other side reads. */
export function hugeBody(bytes: number, status = 200): RawAnswer {
  return async (response) => {
    response.writeHead(status, { 'Content-Length': bytes });
    // It fails when the client stops reading, as it should.
    await pipeline(Readable.from(blocksOf(bytes)), response).catch(() => {});
  };
}

function* blocksOf(bytes: number): Generator<Buffer> {
  const block = Buffer.alloc(64 * 1024, 'y');
  for (let rest = bytes; rest > 0; rest -= block.length) yield block.subarray(0, rest);
}

/** Answers 301, 302, 303, 307 or 308 to `location`. */
export function redirect(status: number, location: string): PlainAnswer {
  return { status, headers: { Location: location } };
}

/** Sends exactly these bytes and closes. */
export function rawBytes(bytes: string): RawAnswer {
  return (_, socket) => {
    socket.end(bytes);
  };
}

function createServerFor(tls: ReceiverOptions['tls'], listener: RequestListener): Server {
  if (tls === undefined) return createServer(listener);
  // It must read, or it would not notice that the client has closed.
  if (tls === 'silent') return createTcpServer((socket) => void socket.resume());
  const server = createTlsServer({ key: RECEIVER_KEY, cert: CERTIFICATES[tls] }, listener);
  server.on('tlsClientError', () => {}); // Some of these tests have a client that rejects the certificate.
  return server;
}

/** Null when the client aborted the request. */
async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks);
  } catch {
    return null;
  }
}

async function reply(response: ServerResponse, answer: Answer): Promise<void> {
  if (typeof answer === 'function') {
    if (response.socket !== null) await answer(response, response.socket);
    return;
  }
  response.writeHead(answer.status ?? 200, answer.headers);
  response.end(answer.body);
}

async function drip(socket: Socket, start: string, everyMs: number, piece = 'x'): Promise<void> {
  socket.write(start);
  while (socket.writable) {
    socket.write(piece);
    await sleep(everyMs);
  }
}

/** Lets tests wait for a condition without polling. */
class Changes {
  readonly #listeners = new Set<() => void>();

  notify(): void {
    for (const listener of this.#listeners) listener();
  }

  until(condition: () => boolean, timeoutMs: number, describe: () => string): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (settle: () => void) => {
        clearTimeout(timer);
        this.#listeners.delete(check);
        settle();
      };
      const check = () => condition() && end(resolve);
      const timer = setTimeout(
        () => end(() => reject(new Error(`${describe()} after ${timeoutMs} ms`))),
        timeoutMs,
      );
      this.#listeners.add(check);
      check();
    });
  }
}
