import type { PostOptions, RequestOptions } from '../http/options.ts';
import { idOf, itemsOf } from '../http/pages.ts';
import type { Send } from '../http/transport.ts';
import type { EndpointSettings, Jwks, RotateSigningKey, SigningKeys } from '../types/endpoints.ts';
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

  /** Registers a further URL that receives events, with a secret of its own. */
  register(body: EndpointSettings, options?: PostOptions): Promise<WebhookEndpoint> {
    return this.#send({ method: 'POST', path: '/v1/webhooks/endpoints', body }, options);
  }

  /** A registered endpoint and its health. */
  endpoint(id: string, options?: RequestOptions): Promise<WebhookEndpoint> {
    return this.#send({ method: 'GET', path: pathOf(id) }, options);
  }

  /** Sets all settings of a registered endpoint; what is left out takes its default. */
  setEndpoint(id: string, body: EndpointSettings, options?: RequestOptions): Promise<WebhookEndpoint> {
    return this.#send({ method: 'PUT', path: pathOf(id), body }, options);
  }

  /** Deletes a registered endpoint; what is pending there fails. */
  deleteEndpoint(id: string, options?: RequestOptions): Promise<WebhookEndpoint> {
    return this.#send({ method: 'DELETE', path: pathOf(id) }, options);
  }

  /** The secret that signs what a registered endpoint receives, and those that overlap. */
  endpointSecrets(id: string, options?: RequestOptions): Promise<WebhookSecrets> {
    return this.#send({ method: 'GET', path: `${pathOf(id)}/secrets` }, options);
  }

  /** Puts a new secret of a registered endpoint in force. */
  rotateEndpointSecret(id: string, body: RotateSecret = {}, options?: PostOptions): Promise<WebhookSecrets> {
    return this.#send({ method: 'POST', path: `${pathOf(id)}/secrets/rotate`, body }, options);
  }

  /** The public keys that verify events, for receivers that shall not be able to forge them. */
  signingKeys(options?: RequestOptions): Promise<SigningKeys> {
    return this.#send({ method: 'GET', path: '/v1/webhooks/signing-keys' }, options);
  }

  /** Creates a key pair that signs every event beside the secrets, or puts a new one in force. */
  rotateSigningKey(body: RotateSigningKey = {}, options?: PostOptions): Promise<SigningKeys> {
    return this.#send({ method: 'POST', path: '/v1/webhooks/signing-keys', body }, options);
  }

  /** The public keys of any merchant as a JSON Web Key Set, as receivers read them. */
  jwks(merchantId: string, options?: RequestOptions): Promise<Jwks> {
    return this.#send({ method: 'GET', path: `/v1/webhooks/jwks/${idOf(merchantId)}` }, options);
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

function pathOf(id: string): string {
  return `/v1/webhooks/endpoints/${idOf(id)}`;
}
