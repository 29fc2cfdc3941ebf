import type { ServerResponse } from 'node:http';
import { checkoutStatus } from '../../domain/checkout/page/page.ts';
import { findChanged, type CheckoutPayment } from '../../domain/checkout/view/store.ts';
import { withTestClockOf } from '../../domain/payments/lifecycle/test-clock.ts';
import type { Context } from '../../platform/context.ts';
import { messageOf } from '../../platform/log.ts';
import { HEARTBEAT, beginEvents, endEvents, eventText, write } from './event-stream.ts';

/** A page comes back after 1 to 5 s: those of a process that ended must not come to the next one all at once. */
const RETRY_MS = { least: 1_000, spread: 4_000 };
/** An office behind one address; nobody may take all places. RATE_LIMIT_SCALE multiplies it, as it does every limit per address. */
const MAX_PAGES_PER_ADDRESS = 100;

/** What a web process keeps to for its open pages. */
export interface PageLimits {
  /** A customer takes a second for at once, and one statement a second is nothing to Postgres, however many pages it is about. */
  readonly intervalMs: number;
  /** Proxies cut what is silent for 30 to 60 s. */
  readonly beatMs: number;
  /**
   * Then a stream ends and its page comes back: where time alone has made a payment final it is told so, and pages spread over the web
   * processes that were started meanwhile.
   */
  readonly longestMs: number;
  /** Some 20 kB each, and a statement of 0.2 s a second: beyond, pages ask every three seconds by themselves. */
  readonly maxPages: number;
}

const LIMITS: PageLimits = { intervalMs: 1_000, beatMs: 20_000, longestMs: 3_600_000, maxPages: 10_000 };

interface Page {
  readonly response: ServerResponse;
  readonly endsAt: number;
  /** What it was told last, or shows from the beginning. */
  version: string;
  spokeAt: number;
}

/** A payment with the pages that show it. */
interface Watched {
  /** Null: its pages were opened with different ones, so that the next look must tell. */
  version: string | null;
  readonly pages: Set<Page>;
}

/**
 * The pages that are open on this web process. While there are any, one statement an interval asks which of their payments have
 * changed; without any, nothing is asked. Postgres may go away meanwhile: the pages stay, and are told when it is back.
 */
export class PageStreams {
  readonly #ctx: Context;
  readonly #limits: PageLimits;
  readonly #watched = new Map<string, Watched>();
  readonly #perAddress = new Map<string, number>();
  #count = 0;
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;
  #isAway = false;

  constructor(ctx: Context, limits: Partial<PageLimits> = {}) {
    this.#ctx = ctx;
    this.#limits = { ...LIMITS, ...limits };
  }

  /** How many pages are open. */
  get count(): number {
    return this.#count;
  }

  /** Why no other page can be opened for a client at `address`; null: it can. */
  refusal(address: string): 'address' | 'process' | null {
    if (this.#isClosed || this.#count >= this.#limits.maxPages) return 'process';
    const most = Math.max(1, Math.floor(MAX_PAGES_PER_ADDRESS * this.#ctx.config.rateLimitScale));
    return (this.#perAddress.get(address) ?? 0) >= most ? 'address' : null;
  }

  /**
   * Begins the stream of a page. `payment` as it was just read is told at once unless the page shows that already (`shown`); what
   * happened between the reading and this call is told by the next look.
   */
  open(
    payment: CheckoutPayment,
    { shown, address, response }: { shown: string | null; address: string; response: ServerResponse },
  ): void {
    // The client left while its payment was read: no 'close' will come.
    if (response.destroyed) return;
    const { least, spread } = RETRY_MS;
    const now = performance.now();
    const page = { response, version: payment.version, spokeAt: now, endsAt: now + this.#limits.longestMs };
    this.#add(payment, page, address);
    beginEvents(response, least + spread * this.#ctx.random());
    write(response, shown === payment.version ? HEARTBEAT : this.#newsOf(payment).text);
    this.#schedule();
  }

  /** Looks once which payments have changed, and tells their pages. */
  async watchOnce(): Promise<void> {
    const shown = [...this.#watched].map(([id, { version }]) => ({ id, version }));
    if (shown.length === 0) return;
    for (const payment of await findChanged(this.#ctx.db, shown)) this.#tell(payment);
  }

  /** Ends all streams, and takes no new ones. */
  close(): void {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    // Whoever has not read the last event yet will not read the end in time either.
    for (const { response } of this.#pages()) endEvents(response, 0);
  }

  #add({ id, version }: CheckoutPayment, page: Page, address: string): void {
    const entry = this.#watched.get(id) ?? { version, pages: new Set() };
    // One of the two was read before the other; only Postgres can tell which.
    if (entry.version !== version) entry.version = null;
    this.#watched.set(id, entry);
    entry.pages.add(page);
    this.#count += 1;
    this.#perAddress.set(address, (this.#perAddress.get(address) ?? 0) + 1);
    page.response.once('close', () => {
      entry.pages.delete(page);
      if (entry.pages.size === 0) this.#watched.delete(id);
      this.#count -= 1;
      const left = (this.#perAddress.get(address) ?? 0) - 1;
      if (left > 0) this.#perAddress.set(address, left);
      else this.#perAddress.delete(address);
    });
  }

  #tell(payment: CheckoutPayment): void {
    const entry = this.#watched.get(payment.id);
    if (entry === undefined) return;
    entry.version = payment.version;
    const { text, isLast } = this.#newsOf(payment);
    for (const page of entry.pages) {
      if (page.version === payment.version) continue;
      page.version = payment.version;
      page.spokeAt = performance.now();
      write(page.response, text);
      if (isLast) endEvents(page.response);
    }
  }

  #newsOf(payment: CheckoutPayment): { text: string; isLast: boolean } {
    const status = checkoutStatus(payment, withTestClockOf(this.#ctx, payment).now());
    return { text: eventText(status.version, JSON.stringify(status)), isLast: !status.is_live };
  }

  #schedule(): void {
    if (this.#timer !== null || this.#isClosed || this.#count === 0) return;
    this.#timer = setTimeout(() => void this.#tick(), this.#limits.intervalMs);
  }

  async #tick(): Promise<void> {
    try {
      await this.watchOnce();
      if (this.#isAway) this.#ctx.log.info('open pages are told again');
      this.#isAway = false;
    } catch (error) {
      // Once for each time that it is away, not once a second.
      if (!this.#isAway) this.#ctx.log.warn('open pages have to wait', { error: messageOf(error) });
      this.#isAway = true;
    }
    this.#beat(performance.now());
    this.#timer = null;
    this.#schedule();
  }

  #beat(now: number): void {
    for (const page of this.#pages()) {
      if (now >= page.endsAt) endEvents(page.response);
      else if (now >= page.spokeAt + this.#limits.beatMs) {
        page.spokeAt = now;
        write(page.response, HEARTBEAT);
      }
    }
  }

  *#pages(): Iterable<Page> {
    for (const { pages } of this.#watched.values()) yield* pages;
  }
}
