import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { docsPages } from '../support/docs-pages.ts';
import type { Listening } from '../support/http.ts';
import { until } from '../support/until.ts';
import { overflow, violations, violationsOnEachScreen } from './axe.ts';
import { picture, pictures, withPage } from './browser.ts';
import { showPages } from './pages.ts';

const WIDTHS = [360, 768, 1440] as const;

const SEARCHES = ['/docs/search?q=refund', '/docs/search?q=zzzzz'];

/** The pages in three parts of some ten seconds each: that of the objects is as long as many others. */
const KINDS: Readonly<Record<string, (path: string) => boolean>> = {
  guides: (path) => !path.startsWith('/docs/reference'),
  operations: (path) => path.startsWith('/docs/reference') && path !== '/docs/reference/objects',
  objects: (path) => path === '/docs/reference/objects',
};

/** `withPage` refuses every request to another origin, and whatever a page's policy refuses. */
describe('the documentation in a browser', function () {
  // Each case examines ten pages, four at a time.
  this.timeout(300_000);
  let server: Listening;
  let browser: Browser;
  const check = showPages((opened) => ({ server, browser } = opened));

  for (const width of WIDTHS)
    for (const [kind, isOfKind] of Object.entries(KINDS))
      check(
        `axe finds nothing, light and dark, and no page is wider than the window: ${kind}, ${width}`,
        async () => {
          const paths = [...(await docsPages(server)).keys(), ...SEARCHES].filter(isOfKind);
          expect(paths).to.not.be.empty;
          await withPage(browser, { viewport: { width, height: 900 } }, async (page) => {
            for (const path of paths) {
              await page.goto(`${server.url}${path}`);
              expect(await violationsOnEachScreen(page), path).to.deep.equal([]);
              expect(await overflow(page), path).to.equal(0);
              const name = `docs${path.replaceAll(/\W+/g, '-').replace('-docs', '')}-${width}`;
              await pictures(page, (colorScheme) => `${name}-${colorScheme}`);
            }
          });
        },
      );

  check('axe finds nothing where the script cannot be loaded', async () => {
    await withPage(browser, { refused: 'docs.js' }, async (page) => {
      await page.route('**/docs.js?*', (route) => route.abort());
      await page.goto(`${server.url}/docs/accept-a-payment`);
      expect(await page.locator('.copied').count()).to.equal(0);
      expect(await violations(page)).to.deep.equal([]);
    });
  });

  check('the search shows what it finds while a reader types, and Escape hides it', async () => {
    await withPage(browser, {}, async (page) => {
      await page.goto(`${server.url}/docs`);
      await page.locator('#search').pressSequentially('idempotency_conflict');
      // On a slow machine it may show first what it finds for half of the word.
      const first = page.locator('#suggested a').first().and(page.locator('[href$="#idempotency_conflict"]'));
      await first.waitFor();
      expect(await violations(page)).to.deep.equal([]);
      await picture(page, 'docs-suggested');
      await page.keyboard.press('Escape');
      expect(await page.locator('#suggested').count()).to.equal(0);
      // A browser may clear the field at the same time.
      await page.locator('#search').fill('');
      await page.locator('#search').pressSequentially('idempotency_conflict');
      await first.click();
      await page.waitForURL('**/docs/errors#idempotency_conflict');
    });
  });

  check('Enter leads to the page of results, without JavaScript as well', async () => {
    for (const javaScriptEnabled of [true, false])
      await withPage(browser, { javaScriptEnabled }, async (page) => {
        await page.goto(`${server.url}/docs/states`);
        await page.locator('#search').fill('refund address');
        await page.locator('#search').press('Enter');
        await page.waitForURL('**/docs/search?q=refund+address');
        expect(await page.locator('#results li').count()).to.be.above(2);
        expect(await page.locator('#search').inputValue()).to.equal('refund address');
      });
  });

  check('the link of a heading leads to the heading, also when it is opened elsewhere', async () => {
    const viewport = { width: 1440, height: 900 };
    await withPage(browser, { viewport }, async (page) => {
      await page.goto(`${server.url}/docs/errors`);
      await page.locator('.anchor[href="#rate_limited"]').click();
      await page.waitForURL(/\/docs\/errors#rate_limited$/);
      const address = page.url();
      await page.goto(`${server.url}/docs`);
      await page.goto(address);
      expect(await isInWindow(page, '#rate_limited')).to.equal(true);
    });
  });

  check('a status of the drawing leads to its meaning', async () => {
    await withPage(browser, { viewport: { width: 1440, height: 900 } }, async (page) => {
      await page.goto(`${server.url}/docs/states`);
      await page.locator('.states a[href="#failed"]').click();
      await page.waitForURL('**/docs/states#failed');
      await until('its meaning is in the window', () => isInWindow(page, '#failed'));
    });
  });

  check('a language that was chosen once is shown on every page, and stays chosen', async () => {
    await withPage(browser, {}, async (page) => {
      await page.goto(`${server.url}/docs/accept-a-payment`);
      await page.locator('label[for="create-payment-python"]').click();
      const shown = () => page.locator('.sample > div:visible').allInnerTexts();
      for (const text of await shown()) expect(text).to.match(/import os/);
      await page.goto(`${server.url}/docs/refunds`);
      expect((await shown()).join()).to.include('import os');
    });
  });

  check('without JavaScript each language is behind its radio button', async () => {
    await withPage(browser, { javaScriptEnabled: false }, async (page) => {
      await page.goto(`${server.url}/docs/quick-start`);
      const sample = page.locator('.sample').first();
      expect(await sample.locator('> div:visible').innerText()).to.include('curl');
      await sample.locator('label', { hasText: 'Go' }).click();
      expect(await sample.locator('> div:visible').innerText()).to.include('package main');
      expect(await page.locator('button', { hasText: 'Copy' }).count()).to.equal(0);
    });
  });

  check('a button copies the code beside it', async () => {
    const permissions = ['clipboard-read', 'clipboard-write'];
    await withPage(browser, { permissions }, async (page) => {
      await page.goto(`${server.url}/docs/quick-start`);
      await page.locator('.copied', { hasText: 'pay_amount' }).locator('button').first().click();
      await page.locator('button', { hasText: 'Copied' }).waitFor();
      const copied = await page.evaluate<string>('navigator.clipboard.readText()');
      expect(copied).to.match(/^curl [^]*"order_id": "order-1"/);
    });
  });
});

const isInWindow = (page: Page, selector: string) =>
  page.evaluate<boolean>(`(() => {
    const { top, bottom } = document.querySelector('${selector}').getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
  })()`);
