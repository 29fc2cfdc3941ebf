import type { ServerResponse } from 'node:http';
import { checkoutStatus } from '../../domain/checkout/page/page.ts';
import { findChanged, type CheckoutPayment } from '../../domain/checkout/view/store.ts';
import { withTestClockOf } from '../../domain/payments/lifecycle/test-clock.ts';
import type { Context } from '../../platform/context.ts';
import { faultOf } from '../../platform/logging/reasons.ts';
import { LIMITS, MAX_PAGES_PER_ADDRESS, RETRY_MS, type PageLimits } from './stream-limits.ts';
import { HEARTBEAT, beginEvents, endEvents, write } from './event-stream.ts';
import { eventFor, type CheckoutStatus, type OpenPages, type Page, type Render } from './open-pages.ts';

/**
 * The streams of the pages that are open on this web process. While there are any, one statement an interval
 * reads which of their payments have changed. When Postgres is unavailable the streams stay open, and send
 * the changes when it is back.
 */
export class PageStreams {
  readonly #ctx: Context;
  readonly #limits: PageLimits;
  readonly #byPayment = new Map<string, OpenPages>();
  readonly #perAddress = new Map<string, number>();
  #count = 0;
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;
  #isPaused = false;

  constructor(ctx: Context, limits: Partial<PageLimits> = {}) {
    this.#ctx = ctx;
    this.#limits = { ...LIMITS, ...limits };
  }

  /** The number of open pages. */
  get count(): number {
    return this.#count;
  }

  /** Which limit refuses another page for a client at `address`; null: none does. */
  refusal(address: string): 'address' | 'process' | null {
    if (this.#isClosed || this.#count >= this.#limits.maxPages) return 'process';
    const most = Math.max(1, Math.floor(MAX_PAGES_PER_ADDRESS * this.#ctx.config.rateLimitScale));
    return (this.#perAddress.get(address) ?? 0) >= most ? 'address' : null;
  }

  /**
   * Begins the stream of a page. It sends `payment`, as just read, at once unless the page shows this version
   * (`shown`). The next poll sends what changed between that read and this call. Without
   * `render` its events carry the status alone.
   */
  open(
    payment: CheckoutPayment,
    {
      shown,
      address,
      response,
      render = null,
    }: { shown: string | null; address: string; response: ServerResponse; render?: Render | null },
  ): void {
    // The client left while its payment was read: no 'close' event will follow.
    if (response.destroyed) return;
    const { least, spread } = RETRY_MS;
    const now = performance.now();
    const page = {
      paymentId: payment.id,
      response,
      render,
      version: payment.version,
      lastWriteAt: now,
      endsAt: now + this.#limits.maxAgeMs,
    };
    this.#add(payment, page, address);
    beginEvents(response, least + spread * this.#ctx.random());
    const { status, isLast } = this.#statusOf(payment);
    write(response, shown === payment.version ? HEARTBEAT : eventFor(page, payment, status));
    // No version follows the final one. When the page reconnects it gets 204.
    if (isLast) this.#end(page);
    this.#schedule();
  }

  /** Reads once which payments have changed, and sends them to their pages. */
  async pollOnce(): Promise<void> {
    const shown = [...this.#byPayment].map(([id, { version }]) => ({ id, version }));
    if (shown.length === 0) return;
    for (const payment of await findChanged(this.#ctx.db, shown)) this.#send(payment);
  }

  /** Ends all streams, and accepts no new ones. */
  close(): void {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    // A client that has not read the last event will not read the end in time either.
    for (const page of this.#pages()) this.#end(page, 0);
  }

  #add({ id, version }: CheckoutPayment, page: Page, address: string): void {
    const open = this.#byPayment.get(id) ?? { version, pages: new Set() };
    // One of the two versions is older, and only Postgres knows which.
    if (open.version !== version) open.version = null;
    this.#byPayment.set(id, open);
    open.pages.add(page);
    this.#count += 1;
    this.#perAddress.set(address, (this.#perAddress.get(address) ?? 0) + 1);
    page.response.once('close', () => {
      this.#forget(page);
      this.#count -= 1;
      const left = (this.#perAddress.get(address) ?? 0) - 1;
      if (left > 0) this.#perAddress.set(address, left);
      else this.#perAddress.delete(address);
    });
  }

  /**
   * Ends a page's stream. Until its client has read the rest it counts among the open pages, but nothing is
   * written to it any more.
   */
  #end(page: Page, unreadBytes?: number): void {
    this.#forget(page);
    endEvents(page.response, unreadBytes);
  }

  #forget(page: Page): void {
    const open = this.#byPayment.get(page.paymentId);
    open?.pages.delete(page);
    if (open?.pages.size === 0) this.#byPayment.delete(page.paymentId);
  }

  #send(payment: CheckoutPayment): void {
    const open = this.#byPayment.get(payment.id);
    if (open === undefined) return;
    open.version = payment.version;
    const { status, isLast } = this.#statusOf(payment);
    for (const page of open.pages) {
      if (page.version === payment.version) continue;
      page.version = payment.version;
      page.lastWriteAt = performance.now();
      write(page.response, eventFor(page, payment, status));
      if (isLast) this.#end(page);
    }
  }

  #statusOf(payment: CheckoutPayment): { status: CheckoutStatus; isLast: boolean } {
    const status = checkoutStatus(payment, withTestClockOf(this.#ctx, payment).now());
    return { status, isLast: !status.is_live };
  }

  #schedule(): void {
    if (this.#timer !== null || this.#isClosed || this.#count === 0) return;
    this.#timer = setTimeout(() => void this.#tick(), this.#limits.intervalMs);
  }

  async #tick(): Promise<void> {
    try {
      await this.pollOnce();
      if (this.#isPaused) this.#ctx.log.info('page streams resumed');
      this.#isPaused = false;
    } catch (error) {
      // Once per outage, not once a second.
      if (!this.#isPaused) this.#ctx.log.warn('page streams paused; retrying every second', faultOf(error));
      this.#isPaused = true;
    }
    this.#heartbeat(performance.now());
    this.#timer = null;
    this.#schedule();
  }

  #heartbeat(now: number): void {
    for (const page of this.#pages()) {
      if (now >= page.endsAt) this.#end(page);
      else if (now >= page.lastWriteAt + this.#limits.heartbeatMs) {
        page.lastWriteAt = now;
        write(page.response, HEARTBEAT);
      }
    }
  }

  *#pages(): Iterable<Page> {
    for (const { pages } of this.#byPayment.values()) yield* pages;
  }
}
