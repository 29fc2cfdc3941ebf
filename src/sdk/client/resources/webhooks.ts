import type { PostOptions, RequestOptions } from '../http/options.ts';
import { itemsOf } from '../http/pages.ts';
import type { Send } from '../http/transport.ts';
import type {
  EnableEndpoint,
  ExamineReceiver,
  ListEndpoints,
  ReceiverCheck,
  RotateSecret,
  SendTestEvent,
  SetWebhookConfig,
  TestEventReport,
  WebhookConfig,
  WebhookConfigAndHealth,
  WebhookEndpoint,
  WebhookEndpointList,
  WebhookSecrets,
} from '../types/webhooks.ts';

/** A receiver check takes at most four delivery deadlines, of 15 s each (docs/webhooks.md). */
const EXAMINE_TIMEOUT_MS = 90_000;

/** Where events are sent, what signs them, and checks of the receiver. */
export class Webhooks {
  readonly #send: Send;

  /** @internal */
  constructor(send: Send) {
    this.#send = send;
  }

  /** The URL that receives events, whether they are sent, and how the last deliveries went. */
  config(options?: RequestOptions): Promise<WebhookConfigAndHealth> {
    return this.#send({ method: 'GET', path: '/v1/webhooks/config' }, options);
  }

  /** Sets the URL that receives events, and whether they are sent. */
  setConfig(body: SetWebhookConfig, options?: RequestOptions): Promise<WebhookConfig> {
    return this.#send({ method: 'PUT', path: '/v1/webhooks/config', body }, options);
  }

  /** The secret that signs, and those whose rotation still overlaps. */
  secrets(options?: RequestOptions): Promise<WebhookSecrets> {
    return this.#send({ method: 'GET', path: '/v1/webhooks/secrets' }, options);
  }

  /** Puts a new secret in force. */
  rotateSecret(body: RotateSecret = {}, options?: PostOptions): Promise<WebhookSecrets> {
    return this.#send({ method: 'POST', path: '/v1/webhooks/secrets/rotate', body }, options);
  }

  /** One page of the URLs that receive events. */
  endpoints(query?: ListEndpoints, options?: RequestOptions): Promise<WebhookEndpointList> {
    return this.#send({ method: 'GET', path: '/v1/webhooks/endpoints', query }, options);
  }

  /** Every URL that receives events, the `webhookUrl` first. */
  allEndpoints(
    filter?: Omit<ListEndpoints, 'cursor'>,
    options?: RequestOptions,
  ): AsyncGenerator<WebhookEndpoint, void, undefined> {
    return itemsOf((cursor) => this.endpoints({ ...filter, cursor }, options));
  }

  /** Switches an endpoint on again: the `webhookUrl`, or the one that `url` names. */
  enableEndpoint(body: EnableEndpoint = {}, options?: PostOptions): Promise<WebhookEndpoint> {
    return this.#send({ method: 'POST', path: '/v1/webhooks/endpoints/enable', body }, options);
  }

  /** Sends the receiver one signed event of a payment that does not exist. */
  test(body: SendTestEvent = {}, options?: PostOptions): Promise<TestEventReport> {
    return this.#send({ method: 'POST', path: '/v1/webhooks/test', body }, options);
  }

  /** Runs the receiver through the cases that receivers get wrong. Its `timeoutMs` is 90,000 by default. */
  examine(body: ExamineReceiver = {}, options?: PostOptions): Promise<ReceiverCheck> {
    const slow = { timeoutMs: EXAMINE_TIMEOUT_MS, ...options };
    return this.#send({ method: 'POST', path: '/v1/webhooks/examine', body }, slow);
  }
}
