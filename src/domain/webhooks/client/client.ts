import { Agent, Pool, type buildConnector, type Client } from 'undici';
import type { Config } from '../../../platform/config/config.ts';
import { VERSION } from '../../../platform/root.ts';
import { guardedLookup } from './address-guard.ts';
import { DeliveryError } from './delivery-error.ts';
import { guardedConnector, PeerClient, type PeerAware } from './connector.ts';
import { WebhookRequest, type DeliveryResult } from './request.ts';
import type { ResolveHost } from './resolve-host.ts';

const MAX_HEADER_BYTES = 16 * 1024;
/**
 * Many endpoints, each with its concurrency limit, may share an origin: hanging ones must not use all its
 * connections.
 */
const DEFAULT_SOCKETS_PER_ORIGIN = 2_048;

export type { DeliveryResult } from './request.ts';

export interface WebhookClient {
  /**
   * POSTs `body` as application/json and returns the result within the deadline; never throws and never
   * follows a redirect. `headers` are added to Content-Type and User-Agent.
   */
  readonly post: (
    url: string,
    headers: Readonly<Record<string, string>>,
    body: Buffer | string,
  ) => Promise<DeliveryResult>;
  /**
   * Accepts no more requests, waits for those in flight (the deadline bounds them), closes every connection.
   */
  readonly close: () => Promise<void>;
}

export interface WebhookClientOptions {
  /** Also allows private and loopback addresses, and plain http. */
  readonly allowPrivate: boolean;
  /** One deadline for the whole request: waiting for a connection, DNS, TCP, TLS, request, header, body. */
  readonly timeoutMs: number;
  readonly userAgent: string;
  /**
   * Further requests to one origin wait for a connection, within their deadline. Default:
   * DEFAULT_SOCKETS_PER_ORIGIN.
   */
  readonly maxSocketsPerOrigin?: number;
  /** Resolves host names; default: see `guardedLookup`, which guards its results as well. */
  readonly resolve?: ResolveHost;
  /** PEM of the authorities to trust in place of Node's. */
  readonly ca?: string;
}

/** The configured webhook client. */
export function webhookClientOf(
  config: Pick<Config, 'allowPrivateNetworks' | 'webhookTimeoutSeconds'>,
): WebhookClient {
  return createWebhookClient({
    allowPrivate: config.allowPrivateNetworks,
    timeoutMs: config.webhookTimeoutSeconds * 1000,
    userAgent: `payment-checkout/${VERSION}`,
  });
}

/** A webhook client over keep-alive connections, each of which `guardedConnector` opens. */
export function createWebhookClient(options: WebhookClientOptions): WebhookClient {
  const agent = createAgent(options);
  const base = ['Content-Type', 'application/json', 'User-Agent', options.userAgent];
  const inFlight = new InFlightRequests();
  return {
    post: (url, headers, body) =>
      new Promise((resolve) => {
        const settle = (result: DeliveryResult) => {
          inFlight.end();
          resolve(result);
        };
        inFlight.start();
        const request = new WebhookRequest(options.timeoutMs, settle);
        const target = targetOf(url, options.allowPrivate);
        if (inFlight.isClosing) request.fail(new DeliveryError('internal', 'the service is closing down'));
        else if (target instanceof DeliveryError) request.fail(target);
        else agent.dispatch(dispatchOptions(target, headerList(base, headers), body, request), request);
      }),
    async close() {
      await inFlight.drain();
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
    // undici's timeouts cover parts of a request, and each byte restarts them; `WebhookRequest` has one
    // deadline.
    headersTimeout: 0,
    bodyTimeout: 0,
    factory: (origin, poolOptions) =>
      new Pool(origin, { ...(poolOptions as Pool.Options), factory: newPeerClient }),
  });
}

// undici's types hide that a pool passes its options on, with `connect` as the connector that it made of
// them.
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

function dispatchOptions(
  target: URL,
  headers: string[],
  body: Buffer | string,
  request: WebhookRequest,
): PeerAware {
  return {
    origin: target.origin,
    path: target.pathname + target.search,
    method: 'POST',
    headers,
    body,
    assign: (peer) => request.assign(peer),
  };
}

/** Names and values alternate: the form that undici sends fastest. */
function headerList(base: readonly string[], headers: Readonly<Record<string, string>>): string[] {
  const list = [...base];
  for (const [name, value] of Object.entries(headers)) list.push(name, value);
  return list;
}

/** Counts the requests in flight; `drain()` resolves when the count reaches zero. */
class InFlightRequests {
  isClosing = false;
  #count = 0;
  #waiting: (() => void)[] = [];

  start(): void {
    this.#count += 1;
  }

  end(): void {
    this.#count -= 1;
    if (this.#count === 0) for (const resolve of this.#waiting.splice(0)) resolve();
  }

  drain(): Promise<void> {
    this.isClosing = true;
    return this.#count === 0 ? Promise.resolve() : new Promise((resolve) => this.#waiting.push(resolve));
  }
}
