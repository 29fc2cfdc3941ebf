import type { WebhookEvent } from '../../event-types.ts';
import type { PostOptions, RequestOptions, Settings } from '../http/options.ts';
import { idOf, itemsOf } from '../http/pages.ts';
import type { Send } from '../http/transport.ts';
import type { ListPaymentEvents, PaymentEventList } from '../types/events.ts';
import type { CreatePayment, ListPayments, Payment, PaymentList, PaymentStatus } from '../types/payments.ts';
import type { AnnounceRefund, CreateRefund, Refund, RefundList } from '../types/refunds.ts';
import { waitFor, type WaitOptions } from './wait-for.ts';

/** A query without where it begins: the iterators keep that themselves. */
type Filter<Query> = Omit<Query, 'cursor' | 'page' | 'after'>;

/** Payments, their refunds and their events. */
export class Payments {
  readonly #send: Send;
  readonly #settings: Settings;

  /** @internal */
  constructor(send: Send, settings: Settings) {
    this.#send = send;
    this.#settings = settings;
  }

  /** Creates a payment: send the customer to its `checkout_url`. */
  create(body: CreatePayment, options?: PostOptions): Promise<Payment> {
    return this.#send({ method: 'POST', path: '/v1/payment', body }, options);
  }

  /** The payment as it is now. */
  get(id: string, options?: RequestOptions): Promise<Payment> {
    return this.#send({ method: 'GET', path: `/v1/payment/${idOf(id)}` }, options);
  }

  /** One page, newest first. */
  list(query?: ListPayments, options?: RequestOptions): Promise<PaymentList> {
    return this.#send({ method: 'GET', path: '/v1/payments', query }, options);
  }

  /** Every payment that the filters fit, newest first: `for await (const payment of payments.all())`. */
  all(filter?: Filter<ListPayments>, options?: RequestOptions): AsyncGenerator<Payment, void, undefined> {
    return itemsOf((cursor) => this.list({ ...filter, cursor }, options));
  }

  /** Cancels a payment that waits for money: it is EXPIRED then, with `cancelled_at`. */
  cancel(id: string, options?: PostOptions): Promise<Payment> {
    return this.#send({ method: 'POST', path: `/v1/payment/${idOf(id)}/cancel` }, options);
  }

  /** Sends money back: an amount, or all that is left. */
  refund(id: string, body: CreateRefund = {}, options?: PostOptions): Promise<Refund> {
    return this.#send({ method: 'POST', path: `/v1/payment/${idOf(id)}/refund`, body }, options);
  }

  /** All refunds of a payment, newest first, and the address that the customer gave for them. */
  refunds(id: string, options?: RequestOptions): Promise<RefundList> {
    return this.#send({ method: 'GET', path: `/v1/payment/${idOf(id)}/refunds` }, options);
  }

  /** Names the transaction with which you pay a refund of a live payment. */
  announceRefund(id: string, refundId: string, body: AnnounceRefund, options?: PostOptions): Promise<Refund> {
    const path = `/v1/payment/${idOf(id)}/refunds/${idOf(refundId)}/announce`;
    return this.#send({ method: 'POST', path, body }, options);
  }

  /** Clears the customer's address for refunds, while nothing was sent there: the page asks again. */
  clearRefundAddress(id: string, options?: RequestOptions): Promise<RefundList> {
    return this.#send({ method: 'DELETE', path: `/v1/payment/${idOf(id)}/refund-address` }, options);
  }

  /** One page of a payment's events, in the order of their `sequence`. */
  events(id: string, query?: ListPaymentEvents, options?: RequestOptions): Promise<PaymentEventList> {
    return this.#send({ method: 'GET', path: `/v1/payment/${idOf(id)}/events`, query }, options);
  }

  /** Every event of a payment, in the order of their `sequence`. */
  allEvents(id: string, options?: RequestOptions): AsyncGenerator<WebhookEvent, void, undefined> {
    return itemsOf((cursor) => this.events(id, { cursor }, options));
  }

  /**
   * Asks again and again until the payment has the status, or one of several, and returns it. Rejects with
   * UnreachableStatusError once the payment has a status from which none of them can come, and with
   * WaitTimeoutError after `timeoutMs`. EXPIRED is not the end of SETTLED: late money may still be honoured.
   * Wait for `['SETTLED', 'EXPIRED']` where it is for you. A webhook comes sooner, and asks nothing.
   */
  waitFor(
    id: string,
    status: PaymentStatus | readonly PaymentStatus[],
    options?: WaitOptions,
  ): Promise<Payment> {
    const wanted = typeof status === 'string' ? [status] : status;
    const look = () => this.get(id, { signal: options?.signal });
    return waitFor(look, this.#settings, wanted, options);
  }
}
