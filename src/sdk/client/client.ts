import { readOptions, type ClientOptions, type RequestOptions } from './http/options.ts';
import { createSend, type Send } from './http/transport.ts';
import { CheckoutAppearance } from './resources/appearance.ts';
import { Deliveries } from './resources/deliveries.ts';
import { Events } from './resources/events.ts';
import { Links } from './resources/links.ts';
import { Payments } from './resources/payments.ts';
import { Sandbox } from './resources/sandbox.ts';
import { Wallets } from './resources/wallets.ts';
import { Webhooks } from './resources/webhooks.ts';
import type { ServiceStatus } from './types/service.ts';

/**
 * A client of the service's REST API. It needs `fetch` and nothing else, so it runs in Node, other runtimes
 * and at the edge; not in a browser, where everybody could read the key. Requests that fail for a moment (the
 * network, 429, 5xx) are repeated, those that change something under one idempotency key. Methods reject with
 * a PaymentCheckoutError, or the reason of the `signal` that was passed. Throws TypeError for options that
 * cannot work.
 */
export class PaymentCheckout {
  /** Payments, their refunds and their events. */
  readonly payments: Payments;
  /** Pages on which customers create payments themselves. */
  readonly links: Links;
  /** The feed: every event of 90 days, oldest first. */
  readonly events: Events;
  /** Where events are sent, what signs them, and checks of the receiver. */
  readonly webhooks: Webhooks;
  /** What was sent to receivers, and what they answered. */
  readonly deliveries: Deliveries;
  /** Where the money of live payments goes. */
  readonly wallets: Wallets;
  /** How the checkout page looks. */
  readonly appearance: CheckoutAppearance;
  /** Acts as the customer of a test payment, and moves its clock. */
  readonly sandbox: Sandbox;
  readonly #send: Send;

  constructor(options: ClientOptions) {
    const settings = readOptions(options);
    const send = createSend(settings);
    this.#send = send;
    this.payments = new Payments(send, settings);
    this.links = new Links(send);
    this.events = new Events(send);
    this.webhooks = new Webhooks(send);
    this.deliveries = new Deliveries(send);
    this.wallets = new Wallets(send);
    this.appearance = new CheckoutAppearance(send);
    this.sandbox = new Sandbox(send);
  }

  /** The health of the service, and whether it knows the key. */
  status(options?: RequestOptions): Promise<ServiceStatus> {
    return this.#send({ method: 'GET', path: '/v1/status' }, options);
  }
}
