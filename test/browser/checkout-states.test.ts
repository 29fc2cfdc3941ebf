import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { ALL_LANGUAGES } from '../../src/domain/languages/languages.ts';
import { CHECKOUT_STATES, paymentIn } from '../support/checkout.ts';
import type { Listening } from '../support/http.ts';
import type { Harness } from '../support/harness.ts';
import { overflow, strayMarks, violations, violationsOnEachScreen, violationsWithoutScript } from './axe.ts';
import { LOOKS, nameOf, picture, pictures, withPage } from './browser.ts';
import { showPages } from './pages.ts';
import type { Shelf } from './shelf.ts';

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
  let shelf: Shelf;
  const check = showPages((opened) => ({ harness, server, browser, shelf } = opened));

  for (const state of Object.keys(CHECKOUT_STATES))
    for (const [language, direction] of [
      ['en', 'ltr'],
      ['ar', 'rtl'],
    ] as const)
      check(
        `${state}, ${direction}: fits, and axe finds nothing, at both widths, light and dark, with and without JavaScript`,
        async () => {
          const { token_id } = await paymentIn(harness, state);
          for (const look of LOOKS.filter(({ colorScheme }) => colorScheme === 'light'))
            await shelf.lend(look, async (page) => {
              await page.goto(`${server.url}/checkout/${token_id}?lang=${language}`);
              expect(await page.locator('#said h2').isVisible()).to.equal(true);
              expect(await page.locator('html').getAttribute('dir')).to.equal(direction);
              expect(await bandIsFirst(page), nameOf(look)).to.equal(true);
              expect(await overflow(page), nameOf(look)).to.equal(0);
              const found = look.javaScriptEnabled
                ? violationsOnEachScreen(page)
                : violationsWithoutScript(shelf, look, page);
              expect(await found, nameOf(look)).to.deep.equal([]);
              await pictures(
                page,
                (colorScheme) => `${state}-${language}-${nameOf({ ...look, colorScheme })}`,
              );
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

  // WCAG 2.2, 1.4.10 and 1.4.4.
  for (const { id: language } of ALL_LANGUAGES)
    check(
      `${language}: every state fits 320 pixels, and a phone with text at 200 %, and no line begins with a full stop`,
      async () => {
        await withPage(browser, {}, async (page) => {
          for (const state of Object.keys(CHECKOUT_STATES)) {
            const { token_id } = await paymentIn(harness, state);
            await page.setViewportSize({ width: 320, height: 800 });
            await page.goto(`${server.url}/checkout/${token_id}?lang=${language}`);
            expect(await overflow(page), `${state}, 320 pixels`).to.equal(0);
            expect(await strayMarks(page), state).to.deep.equal([]);
            await page.setViewportSize({ width: 360, height: 800 });
            await page.evaluate(`document.documentElement.style.fontSize = '200%'`);
            expect(await overflow(page), `${state}, 200 %`).to.equal(0);
            expect(await strayMarks(page), state).to.deep.equal([]);
            await picture(page, `${state}-${language}-200`);
          }
        });
      },
    );

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
