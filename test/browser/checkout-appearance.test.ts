import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { paymentIn } from '../support/checkout.ts';
import { logo } from '../support/images.ts';
import type { Listening } from '../support/http.ts';
import type { Harness } from '../support/harness.ts';
import { overflow, violationsOnEachScreen } from './axe.ts';
import { pictures, withPage } from './browser.ts';
import { showPages } from './pages.ts';

const METHODS = [
  { coin: 'USDT', network: 'tron' },
  { coin: 'BTC', network: 'bitcoin' },
  { coin: 'USDC', network: 'polygon' },
  { coin: 'ETH', network: 'ethereum' },
];

/** Cumulative layout shift that Core Web Vitals calls good. */
const MAX_SHIFT = 0.1;

/** Sums the shifts of the page from its beginning. */
const WATCH_SHIFTS = `window.shifts = 0;
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) window.shifts += value;
  }).observe({ type: 'layout-shift', buffered: true });`;

const shifts = (page: Page) => page.evaluate<number>('window.shifts');
const loadedImages = (page: Page) =>
  page.evaluate<boolean>(
    '[...document.images].every(({ complete, naturalWidth }) => complete && naturalWidth > 0)',
  );

describe("a merchant's appearance in a browser", () => {
  let harness: Harness;
  let server: Listening;
  let browser: Browser;
  const check = showPages((opened) => ({ harness, server, browser } = opened));

  /** A merchant with an appearance of their own, and the page of a payment of theirs. */
  const pageOf = async (state: string, choices: object, query = '') => {
    const merchant = await harness.addMerchant();
    await harness
      .api('put', '/v1/checkout/appearance', merchant.apiKey)
      .send({
        name: 'Tea House Ōtsuka',
        support_url: 'https://shop.example/help',
        accent_color: '#ffd400',
        display_currency: 'EUR',
        ...choices,
      })
      .expect(200);
    await harness
      .api('put', '/v1/checkout/logo', merchant.apiKey)
      .set('Content-Type', 'image/png')
      .send(await logo(300, 150))
      .expect(200);
    const api: Harness['api'] = (method, path) => harness.api(method, path, merchant.apiKey);
    const { token_id } = await paymentIn({ ...harness, api }, state);
    return `${server.url}/checkout/${token_id}${query}`;
  };

  for (const width of [360, 1280] as const)
    for (const [name, state, choices, query] of [
      ['waiting', 'waiting', {}, '?lang=en'],
      ['to-choose', 'waiting', { methods: METHODS }, '?lang=de'],
      ['confirming', 'confirming', {}, '?lang=ar'],
      ['settled', 'settled', {}, '?lang=en'],
      ['failed', 'failed', {}, '?lang=fr'],
    ] as const)
      check(`${name} at ${width} px: axe finds nothing, light and dark, next to nothing shifts`, async () => {
        const url = await pageOf(state, choices, query);
        await withPage(browser, { width }, async (page) => {
          await page.addInitScript(WATCH_SHIFTS);
          await page.goto(url);
          await page.locator('.logo').waitFor();
          expect(await loadedImages(page), 'every image is shown').to.equal(true);
          expect(await violationsOnEachScreen(page)).to.deep.equal([]);
          expect(await overflow(page)).to.equal(0);
          // The script writes times in the customer's own zone, which moves a few pixels.
          // The script writes local times behind the first paint where the browser is slow.
          expect(await shifts(page)).to.be.below(MAX_SHIFT);
          await pictures(page, (colorScheme) => `appearance-${name}-${width}-${colorScheme}`);
        });
      });

  check('a phone shows all that is needed to pay beside logo and second price', async () => {
    const url = await pageOf('waiting', {});
    const viewport = { width: 360, height: 740 };
    await withPage(browser, { viewport }, async (page) => {
      await page.goto(url);
      for (const selector of [
        '.logo',
        'h1',
        '.price',
        '.about',
        '#amount',
        '#address',
        '#wallets > summary',
      ]) {
        const box = await page.locator(selector).boundingBox();
        expect(box, selector).to.not.equal(null);
        expect((box?.y ?? 0) + (box?.height ?? 0), selector).to.be.at.most(viewport.height);
        expect((box?.x ?? 0) + (box?.width ?? 0), selector).to.be.at.most(viewport.width);
      }
      const summary = await page.locator('#show-code > summary').boundingBox();
      expect((summary?.y ?? 0) + (summary?.height ?? 0)).to.be.at.most(viewport.height);
    });
  });

  for (const javaScriptEnabled of [true, false])
    check(
      `a customer who must choose does it with one tap, ${javaScriptEnabled ? 'with' : 'without'} JavaScript`,
      async () => {
        const url = await pageOf('waiting', { methods: METHODS });
        await withPage(browser, { javaScriptEnabled }, async (page) => {
          await page.goto(url);
          expect(await page.locator('#address').count()).to.equal(0);
          await page.locator('#method-BTC-bitcoin').click();
          await page.locator('#address').waitFor();
          expect(await page.locator('#address').textContent()).to.match(/^tb1/);
          expect(await page.locator('#choice > summary').textContent()).to.include('BTC');
          if (javaScriptEnabled) expect(page.url(), 'in place').to.equal(url);
        });
      },
    );

  check('the accent colour is on buttons and links, and paper stays black', async () => {
    const url = await pageOf('settled', {});
    await withPage(browser, { colorScheme: 'light' }, async (page) => {
      await page.goto(url);
      const background = () =>
        page.evaluate<string>(`getComputedStyle(document.getElementById('success')).backgroundColor`);
      const accent = await background();
      expect(accent)
        .to.match(/^rgb\((\d+), (\d+), 0\)$/)
        .and.not.equal('rgb(10, 86, 199)');
      await page.emulateMedia({ media: 'print' });
      expect(await background()).to.equal('rgb(0, 0, 0)');
    });
  });
});
