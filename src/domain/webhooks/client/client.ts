import { Agent, Pool, type buildConnector, type Client } from 'undici';
import { guardedLookup } from './address-guard.ts';
import { DeliveryError } from './delivery-error.ts';
import { guardedConnector, PeerClient, type PeerAware } from './connector.ts';
import { WebhookRequest, type DeliveryResult } from './request.ts';
import type { ResolveHost } from './resolve-host.ts';

const MAX_HEADER_BYTES = 16 * 1024;
/** Many endpoints, each with a pace of its own, may be on one server: hanging ones must not take the last connection to it. */
const DEFAULT_SOCKETS_PER_ORIGIN = 2_048;

export type { DeliveryResult } from './request.ts';

export interface WebhookClient {
  /**
   * POSTs `body` as application/json and answers what came of it, within the deadline; never throws and never follows a
   * redirect. `headers` come beside Content-Type and User-Agent.
   */
  readonly post: (
    url: string,
    headers: Readonly<Record<string, string>>,
    body: Buffer | string,
  ) => Promise<DeliveryResult>;
  /** Takes no more, lets what is in flight end (the deadline bounds it), closes every connection. */
  readonly close: () => Promise<void>;
}

export interface WebhookClientOptions {
  /** Also call private and loopback addresses, and plain http. */
  readonly allowPrivate: boolean;
  /** One deadline for all of it: waiting for a connection, DNS, TCP, TLS, request, header, body. */
  readonly timeoutMs: number;
  readonly userAgent: string;
  /** POSTs beyond this many at once to one origin wait for a connection, at the cost of their deadline. Default 2,048. */
  readonly maxSocketsPerOrigin?: number;
  /** How names are resolved; default: see `guardedLookup`. What it answers is guarded as well. */
  readonly resolve?: ResolveHost;
  /** PEM of the authorities to trust in place of Node's. */
  readonly ca?: string;
}

/** The way out for webhooks: keep-alive connections, each of which `open-socket.ts` has examined. */
export function createWebhookClient(options: WebhookClientOptions): WebhookClient {
  const agent = createAgent(options);
  const base = ['Content-Type', 'application/json', 'User-Agent', options.userAgent];
  const idle = new IdleSignal();
  return {
    post: (url, headers, body) =>
      new Promise((resolve) => {
        const settle = (result: DeliveryResult) => {
          idle.leave();
          resolve(result);
        };
        idle.enter();
        const post = new WebhookRequest(options.timeoutMs, settle);
        const target = targetOf(url, options.allowPrivate);
        if (idle.closing) post.fail(new DeliveryError('internal', 'the service is closing down'));
        else if (target instanceof DeliveryError) post.fail(target);
        else agent.dispatch(requestOf(target, headerList(base, headers), body, post), post);
      }),
    async close() {
      await idle.close();
      await agent.destroy();
    },
  };
}

function createAgent(options: WebhookClientOptions): Agent {
  const { allowPrivate, timeoutMs, ca } = options;
  const lookup = guardedLookup(allowPrivate, options.resolve);
  return new Agent({
    connect: guardedConnector({ allowPrivate, timeoutMs, lookup, ca }),
    connections: options.maxSocketsPerOrigin ?? DEFAULT_SOCKETS_PER_ORIGIN,
    maxHeaderSize: MAX_HEADER_BYTES,
    // undici's timers cover parts, and each byte that drips restarts them; `Post` has one for the whole.
    headersTimeout: 0,
    bodyTimeout: 0,
    factory: (origin, poolOptions) =>
      new Pool(origin, { ...(poolOptions as Pool.Options), factory: newPeerClient }),
  });
}

// undici's types hide that a pool hands on the options it was given, with `connect` as the connector that it made of them.
function newPeerClient(origin: URL, options: object): PeerClient {
  return new PeerClient(origin, options as Client.Options & { connect: buildConnector.connector });
}

function targetOf(url: string, allowPrivate: boolean): URL | DeliveryError {
  let target: URL;
  try {
    target = new URL(url);
  } catch {
    return new DeliveryError('url', 'the URL is not valid');
  }
  if (target.protocol === 'https:' || (target.protocol === 'http:' && allowPrivate)) return target;
  return new DeliveryError('url', `webhooks are not sent by ${target.protocol.slice(0, -1)}`);
}

function requestOf(target: URL, headers: string[], body: Buffer | string, post: WebhookRequest): PeerAware {
  return {
    origin: target.origin,
    path: target.pathname + target.search,
    method: 'POST',
    headers,
    body,
    assign: (peer) => post.assign(peer),
  };
}

/** Names and values in turns: what undici sends fastest. */
function headerList(base: readonly string[], headers: Readonly<Record<string, string>>): string[] {
  const list = [...base];
  for (const [name, value] of Object.entries(headers)) list.push(name, value);
  return list;
}

/** Counts what is in flight, and resolves `close()` when it reaches zero. */
class IdleSignal {
  closing = false;
  #inFlight = 0;
  #waiting: (() => void)[] = [];

  enter(): void {
    this.#inFlight += 1;
  }

  leave(): void {
    this.#inFlight -= 1;
    if (this.#inFlight === 0) for (const resolve of this.#waiting.splice(0)) resolve();
  }

  close(): Promise<void> {
    this.closing = true;
    return this.#inFlight === 0 ? Promise.resolve() : new Promise((resolve) => this.#waiting.push(resolve));
  }
}
