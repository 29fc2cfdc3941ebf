import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { CHECKOUT_STATES, paymentIn } from '../support/checkout.ts';
import type { Listening } from '../support/http.ts';
import type { World } from '../support/world.ts';
import { overflow, violations, violationsWithoutScript } from './axe.ts';
import { LOOKS, nameOf, picture, withPage } from './browser.ts';
import { showPages } from './pages.ts';

describe('every state of the checkout page, in a browser', () => {
  let world: World;
  let server: Listening;
  let browser: Browser;
  showPages((opened) => ({ world, server, browser } = opened));

  for (const state of Object.keys(CHECKOUT_STATES))
    for (const [language, direction] of [
      ['en', 'ltr'],
      ['ar', 'rtl'],
    ] as const)
      it(`${state}, ${direction}: fits, and axe finds nothing, at both widths, light and dark, with and without JavaScript`, async () => {
        const { token_id } = await paymentIn(world, state);
        for (const look of LOOKS)
          await withPage(browser, look, async (page) => {
            await page.goto(`${server.url}/checkout/${token_id}?lang=${language}`);
            expect(await page.locator('#said h2').isVisible()).to.equal(true);
            expect(await page.locator('html').getAttribute('dir')).to.equal(direction);
            expect(await overflow(page), nameOf(look)).to.equal(0);
            const found = look.javaScriptEnabled
              ? violations(page)
              : violationsWithoutScript(browser, look, page);
            expect(await found, nameOf(look)).to.deep.equal([]);
            await picture(page, `${state}-${language}-${nameOf(look)}`);
          });
      });

  for (const language of ['de', 'es', 'fr', 'ja'])
    it(`${language}: fits a phone, also at 200 %`, async () => {
      const { token_id } = await paymentIn(world, 'waiting');
      await withPage(browser, { width: 360 }, async (page) => {
        await page.goto(`${server.url}/checkout/${token_id}?lang=${language}`);
        expect(await overflow(page)).to.equal(0);
        expect(await violations(page)).to.deep.equal([]);
        await picture(page, `waiting-${language}`);
        await page.evaluate(`document.documentElement.style.fontSize = '200%'`);
        expect(await overflow(page)).to.equal(0);
        await picture(page, `waiting-${language}-200`);
      });
    });

  it('a merchant who writes 1000 characters without a space, and turns their direction, breaks nothing', async () => {
    const { apiKey } = await world.addMerchant({ name: `${'W'.repeat(90)}\u202eevil` });
    const { createPayment } = await import('../support/http.ts');
    const fields = {
      order_description: '\u202e<b>W'.repeat(200),
      order_id: 'W'.repeat(255),
      cancel_url: 'https://shop.example/',
    };
    const { token_id } = await createPayment(world, fields, apiKey);
    await withPage(browser, { width: 360 }, async (page) => {
      await page.goto(`${server.url}/checkout/${token_id}`);
      expect(await overflow(page)).to.equal(0);
      expect(await violations(page)).to.deep.equal([]);
      await picture(page, 'long-texts');
    });
  });

  it('pages that show no payment fit as well, and axe finds nothing', async () => {
    await withPage(browser, { width: 360, colorScheme: 'dark' }, async (page) => {
      const answer = await page.request.get(`${server.url}/checkout/${'A'.repeat(32)}`);
      await page.setContent(await answer.text());
      expect(await violations(page)).to.deep.equal([]);
      await picture(page, 'missing');
    });
  });
});
