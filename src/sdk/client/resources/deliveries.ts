import type { PostOptions, RequestOptions } from '../http/options.ts';
import { idOf, itemsOf } from '../http/pages.ts';
import type { Send } from '../http/transport.ts';
import type {
  Delivery,
  DeliveryList,
  DeliveryWithAttempts,
  ListDeliveries,
  Redeliver,
  RedeliverRange,
  RedeliverReport,
} from '../types/deliveries.ts';

/** What was sent to your receivers in the last 30 days. */
export class Deliveries {
  readonly #send: Send;

  /** @internal */
  constructor(send: Send) {
    this.#send = send;
  }

  /** One page, newest event first. */
  list(query?: ListDeliveries, options?: RequestOptions): Promise<DeliveryList> {
    return this.#send({ method: 'GET', path: '/v1/webhooks/deliveries', query }, options);
  }

  /** Every delivery that the filters fit, newest event first. */
  all(
    filter?: Omit<ListDeliveries, 'cursor'>,
    options?: RequestOptions,
  ): AsyncGenerator<Delivery, void, undefined> {
    return itemsOf((cursor) => this.list({ ...filter, cursor }, options));
  }

  /** A delivery with every attempt. */
  get(id: string, options?: RequestOptions): Promise<DeliveryWithAttempts> {
    return this.#send({ method: 'GET', path: `/v1/webhooks/deliveries/${idOf(id)}` }, options);
  }

  /** Delivers an event again, in any status of its delivery; `{ to: 'listeners' }`: not to the receiver. */
  redeliver(id: string, body: Redeliver = {}, options?: PostOptions): Promise<DeliveryWithAttempts> {
    const path = `/v1/webhooks/deliveries/${idOf(id)}/redeliver`;
    return this.#send({ method: 'POST', path, body }, options);
  }

  /** Delivers the failed events, or all, of a time range again. */
  redeliverRange(body: RedeliverRange, options?: PostOptions): Promise<RedeliverReport> {
    return this.#send({ method: 'POST', path: '/v1/webhooks/redeliver', body }, options);
  }
}
