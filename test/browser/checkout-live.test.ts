import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { createApp } from '../../src/http/app.ts';
import { PageStreams } from '../../src/http/checkout/page-streams.ts';
import { CHECKOUT_STATES, paymentIn, setColumns } from '../support/checkout.ts';
import { listen, type Listening } from '../support/http.ts';
import { until } from '../support/until.ts';
import { createHarness, type Harness } from '../support/harness.ts';
import { openBrowser, withPage, stopClock } from './browser.ts';

describe('an open checkout page', () => {
  let harness: Harness;
  let live: PageStreams;
  let server: Listening;
  let browser: Browser;
  before(async () => {
    harness = await createHarness();
    browser = await openBrowser();
  });
  beforeEach(async () => {
    server = await start();
  });
  afterEach(() => server.close());
  after(async () => {
    await harness.close();
  });

  const start = (port = 0) => {
    live = new PageStreams(harness.ctx, { intervalMs: 50 });
    const app = createApp(harness.ctx, {
      redis: null,
      admin: null,
      adapters: harness.adapters,
      sandbox: harness.sandbox,
      health: harness.health,
      live,
    });
    return listen(app, port);
  };
  const urlOf = (token: string) => `${server.url}/checkout/${token}`;
  /** Everything that the page asks the server for from now on: the last words of the paths. */
  const asked = (page: Page): string[] => {
    const paths: string[] = [];
    page.on('request', (request) => paths.push(new URL(request.url()).pathname.split('/').at(-1) ?? ''));
    return paths;
  };
  const isListening = () => until('the page listens', () => live.count === 1);
  const says = (page: Page, hasText: string) => page.locator('#said', { hasText }).waitFor();
  /** As when another tab comes to the front, which a browser without a screen never does. */
  const setHidden = (page: Page, isHidden: boolean) =>
    page.evaluate(
      `Object.defineProperty(document, 'hidden', { configurable: true, value: ${String(isHidden)} });
       document.dispatchEvent(new Event('visibilitychange'))`,
    );

  it('shows each change without asking for it', async () => {
    const { id, token_id } = await paymentIn(harness, 'waiting');
    await withPage(browser, {}, async (page) => {
      const paths = asked(page);
      await page.goto(urlOf(token_id));
      await isListening();
      await setColumns(harness, id, CHECKOUT_STATES.seen ?? {});
      await says(page, 'We have seen your payment');
      await setColumns(harness, id, CHECKOUT_STATES.confirming ?? {});
      await says(page, 'Confirming: 3 of 12');
      await setColumns(harness, id, CHECKOUT_STATES.settled ?? {});
      await says(page, 'Paid. Thank you!');
      await until('it listens no more', () => live.count === 0);
      expect(paths.filter((path) => path === 'events')).to.have.lengthOf(1);
      expect(paths).to.not.include('status');
    });
  });

  it('takes a tap before the one before it is answered, and shows the answers in their order', async () => {
    const { token_id } = await paymentIn(harness, 'waiting');
    await withPage(browser, {}, async (page) => {
      let answer = () => {};
      const answered = new Promise<void>((resolve) => (answer = resolve));
      let posts = 0;
      await page.route('**/coin', async (route) => {
        posts += 1;
        const response = await route.fetch();
        if (posts === 1) await answered;
        await route.fulfill({ response });
      });
      await page.goto(urlOf(token_id));
      await isListening();
      await page.locator('#chosen').click();
      await page.locator('#coin-USDT').click();
      // The stream says it first.
      await page.locator('#coin-USDT[aria-pressed=true]').waitFor();
      for (const _ of [1, 2]) await page.locator('#network-tron').click();
      expect(await page.locator('body[data-posting]').count()).to.equal(1);
      answer();
      await page.locator('body:not([data-posting]) #network-tron[aria-pressed=true]').waitFor({
        state: 'attached',
      });
      expect(posts, 'a second tap on the same is none').to.equal(2);
      expect(await page.locator('#choice[open]').count()).to.equal(0);
    });
  });

  it('shows no event that is older than the answer to a form', async () => {
    const { token_id } = await paymentIn(harness, 'waiting');
    await withPage(browser, {}, async (page) => {
      await page.goto(urlOf(token_id));
      await isListening();
      await page.evaluate('window.old = { source, page: document.documentElement.outerHTML }');
      await page.locator('#chosen').click();
      await page.locator('#coin-BTC').click();
      await page
        .locator('body:not([data-posting]) #coin-BTC[aria-pressed=true]')
        .waitFor({ state: 'attached' });
      await page.evaluate(`
        old.source.dispatchEvent(new MessageEvent('message', { lastEventId: 'older', data: JSON.stringify(old) }));
        updates`);
      expect(await page.locator('#address').textContent()).to.match(/^tb1/);
      await isListening();
    });
  });

  it('comes back when the stream is cut, and shows what changed meanwhile', async () => {
    const { id, token_id } = await paymentIn(harness, 'waiting');
    await withPage(browser, { isCutOff: true }, async (page) => {
      const paths = asked(page);
      await page.goto(urlOf(token_id));
      await isListening();
      const port = Number(new URL(server.url).port);
      await server.close();
      await setColumns(harness, id, CHECKOUT_STATES.seen ?? {});
      server = await start(port);
      await says(page, 'We have seen your payment');
      await setColumns(harness, id, CHECKOUT_STATES.confirming ?? {});
      await says(page, 'Confirming: 3 of 12');
      expect(paths.filter((path) => path === 'events').length).to.be.within(2, 4);
      expect(paths).to.not.include('status');
    });
  });

  it('asks by itself where the stream is refused', async () => {
    const { id, token_id } = await paymentIn(harness, 'waiting');
    await withPage(browser, { isCutOff: true }, async (page) => {
      const paths = asked(page);
      await page.route('**/events?*', (route) => route.fulfill({ status: 503 }));
      await page.goto(urlOf(token_id));
      await setColumns(harness, id, CHECKOUT_STATES.seen ?? {});
      await says(page, 'We have seen your payment');
      expect(paths.filter((path) => path === 'events')).to.have.lengthOf(1);
      expect(paths).to.include('status');
    });
  });

  it('asks by itself where a proxy swallows the stream, and listens again later', async () => {
    const { id, token_id } = await paymentIn(harness, 'waiting');
    await withPage(browser, {}, async (page) => {
      await stopClock(page);
      const paths = asked(page);
      await page.route('**/events?*', () => undefined);
      await page.goto(urlOf(token_id));
      await page.clock.runFor(11_000);
      await setColumns(harness, id, CHECKOUT_STATES.seen ?? {});
      // The page asks again 3 s after an answer, which comes by the real clock.
      await until('the page shows what it asked for', async () => {
        await page.clock.runFor(3_000);
        return page.locator('#said', { hasText: 'We have seen your payment' }).isVisible();
      });
      expect(paths).to.include('status');
      await page.unroute('**/events?*');
      await until('the page listens', async () => {
        await page.clock.runFor(3_000);
        return live.count === 1;
      });
    });
  });

  it('loads itself again where its script is not to be had, and follows once it is', async () => {
    const { id, token_id } = await paymentIn(harness, 'waiting');
    await withPage(browser, { isCutOff: true }, async (page) => {
      await stopClock(page);
      await page.route('**/checkout/assets/*', (route) => route.fulfill({ status: 404 }));
      await page.goto(`${urlOf(token_id)}#pay`);
      expect(await page.locator('#copy-address').isVisible()).to.equal(false);
      await setColumns(harness, id, CHECKOUT_STATES.seen ?? {});
      await page.unroute('**/checkout/assets/*');
      await page.clock.runFor(10_000);
      await says(page, 'We have seen your payment');
      await until('the page listens', () => live.count === 1);
    });
  });

  it('holds no stream while it is hidden, asks nothing, and catches up when it is shown', async () => {
    const { id, token_id } = await paymentIn(harness, 'waiting');
    await withPage(browser, {}, async (page) => {
      await page.goto(urlOf(token_id));
      await isListening();
      await setHidden(page, true);
      await until('it holds none', () => live.count === 0);
      const paths = asked(page);
      await setColumns(harness, id, CHECKOUT_STATES.seen ?? {});
      await stopClock(page);
      await page.clock.runFor(120_000);
      expect(paths).to.deep.equal([]);
      await setHidden(page, false);
      await says(page, 'We have seen your payment');
      expect(paths).to.include('events').and.not.include('status');
    });
  });

  it('is rendered again when its time is over, with or without an event', async () => {
    const { token_id } = await paymentIn(harness, 'waiting', { expiration_minutes: 5 });
    await withPage(browser, {}, async (page) => {
      await stopClock(page);
      await page.goto(urlOf(token_id));
      expect(await page.locator('#coin-USDT').count()).to.equal(1);
      harness.advance(300);
      await page.clock.runFor(302_000);
      await page.locator('#coin-USDT').waitFor({ state: 'detached' });
    });
  });
});
