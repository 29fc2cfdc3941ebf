import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import type { Harness } from '../support/harness.ts';
import type { Listening } from '../support/http.ts';
import { createLink, pathOf, type Link } from '../support/links.ts';
import { overflow, violationsOnEachScreen, violationsWithoutScript } from './axe.ts';
import { pictures, withPage } from './browser.ts';
import { showPages } from './pages.ts';

const LONG = 'Donaudampfschifffahrtsgesellschaftskapitänsmütze';

describe('payment links in a browser', () => {
  let harness: Harness;
  let server: Listening;
  let browser: Browser;
  const check = showPages((opened) => ({ harness, server, browser } = opened));

  const everything = () =>
    createLink(harness, {
      title: `Tea for two and a ${LONG}`,
      description: 'Printed by hand, sent within a week.',
      prices: [
        { name: 'S', amount: '20.00' },
        { name: LONG, amount: '123456.789' },
      ],
      fields: [
        { key: 'name', label: 'Your name', required: true },
        { key: 'note', label: 'A word to us' },
      ],
      stock: 10,
    });
  const KINDS: Readonly<Record<string, () => Promise<Link>>> = {
    everything,
    open: () => createLink(harness, { open_amount: { min: '5', max: '500' } }),
    async over() {
      const link = await createLink(harness);
      await harness.api('post', `/v1/links/${link.id}/archive`).expect(200);
      return link;
    },
  };

  for (const [name, create] of Object.entries(KINDS))
    for (const [width, lang] of [
      [360, 'en'],
      [360, 'ar'],
      [1280, 'de'],
    ] as const)
      check(
        `${name} at ${width} px in ${lang}: axe finds nothing, light and dark, nothing overflows`,
        async () => {
          const url = `${server.url}${pathOf(await create())}?lang=${lang}`;
          await withPage(browser, { width }, async (page) => {
            await page.goto(url);
            await pictures(page, (scheme) => `link-${name}-${width}-${lang}-${scheme}`);
            expect(await violationsOnEachScreen(page)).to.deep.equal([]);
            expect(await overflow(page)).to.equal(0);
          });
        },
      );

  check('leads to the checkout page without a script, by keyboard', async () => {
    const link = await everything();
    await withPage(browser, { width: 360, javaScriptEnabled: false }, async (page) => {
      await page.goto(`${server.url}${pathOf(link)}`);
      expect(await violationsWithoutScript(browser, page, [360])).to.deep.equal([]);
      await page.getByLabel('Your name').fill('Åsa');
      await page.getByRole('button', { name: 'S: 20.00 USDC' }).press('Enter');
      await page.waitForURL(/\/checkout\//);
      expect(await page.getByText('20.00 USDC').first().isVisible()).to.equal(true);
    });
  });
});
