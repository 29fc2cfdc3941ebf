import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { CHECKOUT_STATES, paymentIn } from '../support/checkout.ts';
import type { Listening } from '../support/http.ts';
import type { Harness } from '../support/harness.ts';
import { overflow, violations, violationsOnEachScreen, violationsWithoutScript } from './axe.ts';
import { nameOf, picture, pictures, withPage, WIDTHS } from './browser.ts';
import { fitsSmallAndLarge, SMALL_AND_LARGE } from './fits.ts';
import { showPages } from './pages.ts';

/** The band that says TEST is above everything else on the page, and across its width. */
async function bandIsFirst(page: Page): Promise<boolean> {
  const [band, sheet] = await Promise.all(
    ['#test', '.sheet'].map((part) => page.locator(part).boundingBox()),
  );
  const main = await page.locator('main').boundingBox();
  if (!band || !sheet || !main) return false;
  return band.y + band.height <= sheet.y && band.width >= main.width - 40;
}

describe('every state of the checkout page, in a browser', () => {
  let harness: Harness;
  let server: Listening;
  let browser: Browser;
  const check = showPages((opened) => ({ harness, server, browser } = opened));

  for (const state of Object.keys(CHECKOUT_STATES))
    for (const [language, direction] of [
      ['en', 'ltr'],
      ['ar', 'rtl'],
    ] as const)
      check(
        `${state}, ${direction}: fits, and axe finds nothing, at both widths, light and dark, with and without JavaScript`,
        async () => {
          const { token_id } = await paymentIn(harness, state);
          for (const javaScriptEnabled of [true, false])
            await withPage(browser, { javaScriptEnabled }, async (page) => {
              await page.goto(`${server.url}/checkout/${token_id}?lang=${language}`);
              for (const width of WIDTHS) {
                const name = nameOf({ width, colorScheme: 'light', javaScriptEnabled });
                await page.setViewportSize({ width, height: 800 });
                expect(await page.locator('#said h2').isVisible()).to.equal(true);
                expect(await page.locator('html').getAttribute('dir')).to.equal(direction);
                expect(await bandIsFirst(page), name).to.equal(true);
                expect(await overflow(page), name).to.equal(0);
                if (javaScriptEnabled) expect(await violationsOnEachScreen(page), name).to.deep.equal([]);
                const looks = { width, javaScriptEnabled };
                await pictures(
                  page,
                  (colorScheme) => `${state}-${language}-${nameOf({ ...looks, colorScheme })}`,
                );
                await page.emulateMedia({ colorScheme: 'light' });
              }
              if (!javaScriptEnabled)
                expect(await violationsWithoutScript(browser, page, WIDTHS)).to.deep.equal([]);
            });
        },
      );

  for (const language of ['de', 'es', 'fr', 'ja'])
    check(`${language}: fits a phone, and axe finds nothing`, async () => {
      const { token_id } = await paymentIn(harness, 'waiting');
      await withPage(browser, { width: 360 }, async (page) => {
        await page.goto(`${server.url}/checkout/${token_id}?lang=${language}`);
        expect(await overflow(page)).to.equal(0);
        expect(await violations(page)).to.deep.equal([]);
        await picture(page, `waiting-${language}`);
      });
    });

  // The grid is looked at in the other languages, and there as well (test/browser/checkout-grid.test.ts).
  for (const language of ['es', 'fr', 'ja'])
    check(`${language}: every state fits ${SMALL_AND_LARGE}`, async () => {
      await withPage(browser, {}, async (page) => {
        for (const state of Object.keys(CHECKOUT_STATES)) {
          const { token_id } = await paymentIn(harness, state);
          await page.goto(`${server.url}/checkout/${token_id}?lang=${language}`);
          await fitsSmallAndLarge(page, state);
          await picture(page, `${state}-${language}-200`);
        }
      });
    });

  check(
    'a merchant who writes 1000 characters without a space, and turns their direction, breaks nothing',
    async () => {
      const { apiKey } = await harness.addMerchant({ name: `${'W'.repeat(90)}\u202eevil` });
      const { createPayment } = await import('../support/http.ts');
      const fields = {
        order_description: '\u202e<b>W'.repeat(200),
        order_id: 'W'.repeat(255),
        cancel_url: 'https://shop.example/',
      };
      const { token_id } = await createPayment(harness, fields, apiKey);
      await withPage(browser, { width: 360 }, async (page) => {
        await page.goto(`${server.url}/checkout/${token_id}`);
        expect(await overflow(page)).to.equal(0);
        expect(await violations(page)).to.deep.equal([]);
        await picture(page, 'long-texts');
      });
    },
  );

  check('pages that show no payment fit as well, and axe finds nothing', async () => {
    await withPage(browser, { width: 360, colorScheme: 'dark' }, async (page) => {
      const answer = await page.request.get(`${server.url}/checkout/${'A'.repeat(32)}`);
      await page.setContent(await answer.text());
      expect(await violations(page)).to.deep.equal([]);
      await picture(page, 'missing');
    });
  });
});
