import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * What happens to a request: an answer of the gate's own; or the service handles it, and its response is lost
 * with the connection (`lost`), or never comes (`silent`).
 */
export type Fault =
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string }
  | 'lost'
  | 'silent';

/** A server between a client and the service, like a load balancer on a bad day. */
export interface Gate {
  readonly url: string;
  /** What arrived, in turn. */
  readonly requests: { method: string; url: string; headers: IncomingHttpHeaders }[];
  /** The faults of the next requests, one each; what comes after them is passed on. */
  readonly faults: Fault[];
  close(): Promise<void>;
}

export async function startGate(target: string): Promise<Gate> {
  const requests: Gate['requests'] = [];
  const faults: Fault[] = [];
  const passing = new Set<Promise<void>>();
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    requests.push({ method, url, headers });
    const fault = faults.shift();
    if (typeof fault === 'object') {
      response.writeHead(fault.status, fault.headers).end(fault.body ?? '');
      return;
    }
    const passed = pass(target, request, response, fault).finally(() => passing.delete(passed));
    passing.add(passed);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    faults,
    async close() {
      // What a client has given up is still handled by the service, which may be closed next.
      await Promise.all(passing);
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function pass(
  target: string,
  request: IncomingMessage,
  response: ServerResponse,
  fault: 'lost' | 'silent' | undefined,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers;
  const { method = 'GET', url = '' } = request;
  const answer = await fetch(target + url, {
    method,
    headers: headers as Record<string, string>,
    ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
  });
  const text = await answer.text();
  if (fault === 'lost') request.socket.destroy();
  if (fault !== undefined) return;
  const kept = [...answer.headers].filter(([name]) => !/^(content-(length|encoding)|connection)$/.test(name));
  response.writeHead(answer.status, Object.fromEntries(kept)).end(text);
}
