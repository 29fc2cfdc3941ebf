import type { FrameLocator, Page } from 'playwright-core';
import { startReceiver } from '../support/receivers.ts';
import { until } from '../support/until.ts';

/** What a shop's page has. */
export interface Cart {
  /** The `checkout_url`. */
  readonly pay: string;
  /** How it loads checkout.js; `frame`: not at all, it has a frame of its own. */
  readonly how?: 'async' | 'module' | 'none' | 'frame';
  /** The shop's Content-Security-Policy. Default: what the documentation asks for, and nothing else. */
  readonly policy?: string;
}

/** The website of a shop: a cart at /cart, and thanks everywhere else. */
export interface ShopSite {
  readonly origin: string;
  cartUrl(cart: Cart): string;
  close(): Promise<void>;
}

/** Opens a shop on another site than the service, which the tests address by number. */
export async function openShopSite(): Promise<ShopSite> {
  const website = await startReceiver({
    answer({ path }) {
      const { pathname, searchParams } = new URL(path, 'http://shop');
      const headers = { 'Content-Type': 'text/html; charset=utf-8' };
      if (pathname !== '/cart') return { headers, body: '<title>Thanks</title><h1>Thank you</h1>' };
      const [pay = '', how = '', policy = ''] = ['pay', 'how', 'policy'].map(
        (name) => searchParams.get(name) ?? '',
      );
      return { headers: { ...headers, 'Content-Security-Policy': policy }, body: cartPage(pay, how) };
    },
  });
  const origin = `http://localhost:${website.port}`;
  return {
    origin,
    cartUrl({ pay, how = 'async', policy }) {
      const service = new URL(pay).origin;
      const documented = `default-src 'none'; script-src ${service}; frame-src ${service}`;
      return `${origin}/cart?${new URLSearchParams({ pay, how, policy: policy ?? documented }).toString()}`;
    },
    close: () => website.close(),
  };
}

function cartPage(pay: string, how: string): string {
  const script = `<script ${how === 'module' ? 'type="module"' : 'async'} src="${new URL(pay).origin}/checkout.js"></script>`;
  return `<!doctype html>
    <html lang="en">
    <head><title>Cart</title><meta name="viewport" content="width=device-width, initial-scale=1"></head>
    <body><main>
      <h1>Cart</h1>
      <p><a id="link" data-checkout href="${pay}">Pay with crypto</a></p>
      <p><button id="button" data-checkout="${pay}">Pay with a button</button></p>
      ${how === 'frame' ? `<iframe title="Payment" width="350" height="700" src="${pay}"></iframe>` : ''}
    </main>
    ${how === 'async' || how === 'module' ? script : ''}
    </body></html>`;
}

/** The page of the payment, in the one frame of the shop's page. */
export const framed = (page: Page): FrameLocator => page.locator('iframe').contentFrame();

/** Opens the cart, and waits until it can open the modal. Keeps the events that the shop hears. */
export async function openCart(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await until('checkout.js is loaded', () => page.evaluate<boolean>(`'PaymentCheckout' in window`));
  await page.evaluate(`window.heard = [];
    for (const kind of ['state', 'settled', 'closed'])
      document.addEventListener('checkout:' + kind, ({ detail, target }) =>
        window.heard.push([target.id, kind, detail.state].join(' ')))`);
}

/** The events that the shop's page heard so far: on which element, of which kind, and the state. */
export const heard = (page: Page) => page.evaluate<string[]>('window.heard');

/** Waits until `last` is the last event that the shop's page heard. */
export async function hears(page: Page, last: string): Promise<void> {
  await until(`the shop hears ${last}`, async () => (await heard(page)).at(-1) === last);
}

/** The id of what has the focus in the shop's page. */
export const focusedId = (page: Page) => page.evaluate<string>('document.activeElement.id');
