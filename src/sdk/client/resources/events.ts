import type { WebhookEvent } from '../../event-types.ts';
import type { RequestOptions } from '../http/options.ts';
import { idOf, itemsOf } from '../http/pages.ts';
import type { Send } from '../http/transport.ts';
import type { EventList, ListEvents, ListRedeliveries, RedeliveryList } from '../types/events.ts';

/** The feed: every event of 90 days, oldest first. */
export class Events {
  readonly #send: Send;

  /** @internal */
  constructor(send: Send) {
    this.#send = send;
  }

  /** One page. Its `next_cursor` is the `after` of the next, now or later. */
  list(query?: ListEvents, options?: RequestOptions): Promise<EventList> {
    return this.#send({ method: 'GET', path: '/v1/events', query }, options);
  }

  /** One event: what the `link` of a thin event names. */
  get(id: string, options?: RequestOptions): Promise<WebhookEvent> {
    return this.#send({ method: 'GET', path: `/v1/events/${idOf(id)}` }, options);
  }

  /**
   * Every event up to now, oldest first; from `after` on, which may be the `id` of the last event that you
   * have handled.
   */
  all(query?: ListEvents, options?: RequestOptions): AsyncGenerator<WebhookEvent, void, undefined> {
    return itemsOf((cursor) => this.list({ ...query, after: cursor ?? query?.after }, options));
  }

  /**
   * One page of the events that were asked to be delivered again within the last day. Its `next_cursor` is
   * the `after` of the next, now or later.
   */
  redeliveries(query?: ListRedeliveries, options?: RequestOptions): Promise<RedeliveryList> {
    return this.#send({ method: 'GET', path: '/v1/events/redeliveries', query }, options);
  }
}
