import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from './receivers.ts';

const AGAIN_MS = 100;

export interface LoadResult {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

export interface LoadRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface LoadOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly connections: number;
  readonly count: number;
  readonly next: (index: number) => LoadRequest;
  readonly onAnswer?: (body: string) => void;
}

/**
 * Sends `count` requests over `connections` keep-alive connections, each as soon as its predecessor has its
 * response, and returns the rate and the latencies in milliseconds. What gets 503 is sent again, and takes as
 * long as both: a web process that has just started on a busy machine refuses some. Throws on more of them
 * than a few, and on any other status of 400 or above. `onAnswer` gets every response's body.
 */
export async function load(origin: string, options: LoadOptions): Promise<LoadResult> {
  const { headers, connections, count, next, onAnswer } = options;
  const latencies: number[] = [];
  let index = 0;
  let refused = 0;
  const mayRefuse = Math.max(2 * connections, count / 100);
  const opened = await Promise.all(
    Array.from({ length: Math.min(connections, count) }, () => openConnection(origin, headers)),
  );
  const startedAt = performance.now();
  const client = async (connection: Connection) => {
    while (index < count) {
      const request = next(index);
      index += 1;
      const sentAt = performance.now();
      let answer = await connection.send(request);
      while (answer.status === 503 && (refused += 1) <= mayRefuse) {
        await sleep(AGAIN_MS);
        answer = await connection.send(request);
      }
      const { status, body } = answer;
      latencies.push(performance.now() - sentAt);
      if (status >= 400)
        throw new Error(`${request.method} ${request.path} answered ${status}: ${body.toString()}`);
      onAnswer?.(body.toString());
    }
  };
  try {
    await Promise.all(opened.map(client));
  } finally {
    for (const connection of opened) connection.close();
  }
  const seconds = (performance.now() - startedAt) / 1000;
  return { perSecond: count / seconds, p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99) };
}

export interface Answer {
  readonly status: number;
  readonly body: Buffer;
}

export interface Connection {
  /** One request at a time. Rejects when the connection ends before the response does. */
  send(request: LoadRequest): Promise<Answer>;
  close(): void;
}

/**
 * Opens a keep-alive connection. It knows as much of HTTP as both sides of a comparison need, responses with
 * a length, because what the load generator uses both sides lack: undici takes three times the CPU.
 */
export async function openConnection(
  origin: string,
  headers: Readonly<Record<string, string>>,
): Promise<Connection> {
  const { protocol, hostname, port, host } = new URL(origin);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  await once(socket, 'connect');
  if (protocol === 'https:') return overSecure(socket, { host, ...headers });
  return over(socket, { host, ...headers });
}

/** By TLS; whose certificate it is does not matter here. */
async function overSecure(socket: Socket, headers: Readonly<Record<string, string>>): Promise<Connection> {
  const secure = connectTls({ socket, rejectUnauthorized: false });
  await once(secure, 'secureConnect');
  return over(secure, headers);
}

function over(socket: Socket, headers: Readonly<Record<string, string>>): Connection {
  const fixed = lines(headers);
  const answers = readAnswers(socket);
  return {
    send({ method, path, body = '', headers: own = {} }) {
      const answer = answers();
      const length = method === 'POST' ? `content-length: ${Buffer.byteLength(body)}\r\n` : '';
      socket.write(`${method} ${path} HTTP/1.1\r\n${fixed}${lines(own)}${length}\r\n${body}`);
      return answer;
    },
    close: () => void socket.destroy(),
  };
}

function lines(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
}

/** Returns a function whose promise is the next response on the socket. */
function readAnswers(socket: Socket): () => Promise<Answer> {
  let waiting: { resolve: (answer: Answer) => void; reject: (error: Error) => void } | null = null;
  let read: Buffer = Buffer.alloc(0);
  const fail = (error: Error) => waiting?.reject(error);
  socket.on('error', fail);
  socket.on('close', () => fail(new Error('the connection ended before the response')));
  socket.on('data', (chunk: Buffer) => {
    read = read.length === 0 ? chunk : Buffer.concat([read, chunk]);
    const head = read.indexOf('\r\n\r\n');
    if (head === -1) return;
    const length = /\r\ncontent-length: (\d+)/i.exec(read.toString('latin1', 0, head))?.[1];
    if (length === undefined) return fail(new Error('a response without a length'));
    const end = head + 4 + Number(length);
    if (read.length < end) return;
    const answer = { status: Number(read.toString('latin1', 9, 12)), body: read.subarray(head + 4, end) };
    read = read.subarray(end);
    waiting?.resolve(answer);
    waiting = null;
  });
  return () =>
    new Promise((resolve, reject) => {
      if (socket.destroyed) return reject(new Error('the connection has ended'));
      waiting = { resolve, reject };
    });
}
