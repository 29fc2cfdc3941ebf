import type { ServerResponse } from 'node:http';
import type { checkoutStatus } from '../../domain/checkout/page/page.ts';
import type { CheckoutPayment } from '../../domain/checkout/view/store.ts';
import { eventText } from './event-stream.ts';

/** Renders the components of a page that differ from those that it shows, as its script reads them. */
export type Render = (payment: CheckoutPayment) => string;

export interface Page {
  readonly paymentId: string;
  readonly response: ServerResponse;
  readonly render: Render | null;
  readonly endsAt: number;
  /** The version that it shows, or was sent last. */
  version: string;
  lastWriteAt: number;
}

/** The open pages of one payment. */
export interface OpenPages {
  /**
   * The version that all of them show; null: they show different ones, so the next poll must read the
   * payment.
   */
  version: string | null;
  readonly pages: Set<Page>;
}

export type CheckoutStatus = ReturnType<typeof checkoutStatus>;

/** The body of /status, and with it the components that the page must replace. */
export function eventFor({ render }: Page, payment: CheckoutPayment, status: CheckoutStatus): string {
  const data = render === null ? status : { ...status, page: render(payment) };
  return eventText(status.version, JSON.stringify(data));
}
