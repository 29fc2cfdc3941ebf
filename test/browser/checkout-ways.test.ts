import { expect } from 'chai';
import jsqr from 'jsqr';
import type { Browser, Page } from 'playwright-core';
import { PNG } from 'pngjs';
import { ALL_LANGUAGES } from '../../src/domain/languages/languages.ts';
import { paymentIn } from '../support/checkout.ts';
import type { Harness } from '../support/harness.ts';
import type { Listening } from '../support/http.ts';
import { overflow, violations } from './axe.ts';
import { picture, stopClock, withPage } from './browser.ts';
import { showPages } from './pages.ts';

// CommonJS, with its function in `default`.
const decode = jsqr as unknown as typeof jsqr.default;

/** What a phone reads of the code that is shown. */
async function scanned(page: Page): Promise<string | undefined> {
  const png = PNG.sync.read(await page.locator('.qr:visible').screenshot());
  return decode(new Uint8ClampedArray(png.data), png.width, png.height)?.data;
}

describe('the ways into wallets', () => {
  let harness: Harness;
  let server: Listening;
  let browser: Browser;
  const check = showPages((opened) => ({ harness, server, browser } = opened));

  const openPage = async (page: Page, method: object = {}, query = '') => {
    const { token_id } = await paymentIn(harness, 'waiting');
    const url = `${server.url}/checkout/${token_id}`;
    if (Object.keys(method).length > 0) await page.request.post(`${url}/coin`, { form: { ...method } });
    await page.goto(`${url}${query}`);
  };

  for (const javaScriptEnabled of [true, false])
    check(
      `are a sheet on a phone: the wallets that take the network, and any other, ${javaScriptEnabled ? 'with' : 'without'} JavaScript`,
      async () => {
        await withPage(browser, { javaScriptEnabled }, async (page) => {
          await openPage(page);
          expect(await page.locator('#wallet').isVisible()).to.equal(false);
          await page.locator('#wallets > summary', { hasText: 'Open in wallet' }).click();
          const uri = (await page.locator('#wallet').getAttribute('href')) ?? '';
          const links = page.locator('#wallets a');
          expect(await links.allTextContents()).to.deep.equal(['MetaMask']);
          expect(await links.getAttribute('href')).to.equal(
            uri.replace('ethereum:', 'https://link.metamask.io/send/'),
          );
          expect(await links.getAttribute('target'), 'the page stays').to.equal('_blank');
          expect((await page.locator('#wallet').innerText()).trim()).to.equal('Another wallet');
          expect(await overflow(page)).to.equal(0);
          if (javaScriptEnabled) expect(await violations(page)).to.deep.equal([]);
          await picture(page, `wallet-sheet-${javaScriptEnabled ? 'script' : 'plain'}`);
        });
      },
    );

  check('are one link where no wallet has its own, and on a desktop', async () => {
    await withPage(browser, {}, async (page) => {
      await openPage(page, { coin: 'BTC', network: 'bitcoin' });
      expect(await page.locator('#wallets').count()).to.equal(0);
      expect((await page.locator('#wallet').innerText()).trim()).to.equal('Open in wallet');
    });
    await withPage(browser, { width: 1280 }, async (page) => {
      await openPage(page);
      expect(await page.locator('#wallets').isVisible()).to.equal(false);
      expect((await page.locator('#wallet').innerText()).trim()).to.equal('Open in wallet');
    });
  });

  for (const [width, height] of [
    [500, 800],
    [768, 1024],
    [1366, 768],
    [1440, 900],
  ] as const)
    check(`have a code of at least 280 pixels with whole modules at ${width}x${height}`, async () => {
      await withPage(browser, { viewport: { width, height } }, async (page) => {
        for (const [coin, network] of [
          ['USDC', 'ethereum'],
          ['BTC', 'bitcoin'],
          ['USDC', 'solana'],
          ['USDT', 'tron'],
        ] as const) {
          await openPage(page, { coin, network });
          if ((await page.locator('.qr:visible').count()) === 0)
            await page.locator('#show-code > summary').click();
          const holdsWell = async () => {
            const code = page.locator('.qr:visible');
            const modules = await code.evaluate(
              (image) => (image as unknown as { naturalWidth: number }).naturalWidth,
            );
            const { width: side = 0, height: other = 0 } = (await code.boundingBox()) ?? {};
            expect(side, `${coin} on ${network}`).to.be.at.least(280).and.equal(other);
            expect(side % modules, `${coin} on ${network}: ${side} / ${modules}`).to.equal(0);
            expect(await scanned(page)).to.be.a('string');
            expect(await overflow(page)).to.equal(0);
          };
          await holdsWell();
          const other = page.locator('#show-code input:not(:checked) + label');
          if ((await other.count()) === 0) continue;
          await other.click();
          await holdsWell();
        }
        await picture(page, `code-${width}`);
      });
    });

  check('copy what the code holds, by a tap on it or by its button', async () => {
    await withPage(browser, { permissions: ['clipboard-read', 'clipboard-write'] }, async (page) => {
      // The button says it for 2 s.
      await stopClock(page);
      await openPage(page);
      await page.locator('#show-code > summary').click();
      const clipboard = () => page.evaluate<string>('navigator.clipboard.readText()');
      const copied = page.locator('#copy-code', { hasText: 'Copied' });
      await page.locator('.qr:visible').click();
      await copied.waitFor();
      expect(await clipboard()).to.equal(await page.locator('#address').textContent());
      await page.clock.runFor(2_000);
      await page.locator('#show-code input:not(:checked) + label').click();
      await page.locator('#copy-code', { hasText: 'Copy code' }).press('Enter');
      await copied.waitFor();
      expect(await clipboard()).to.equal(await page.locator('#wallet').getAttribute('href'));
    });
  });

  check('tell a Bitcoin wallet who is paid, and what for, in a code that decodes', async () => {
    await withPage(browser, { width: 1280 }, async (page) => {
      await openPage(page, { coin: 'BTC', network: 'bitcoin' });
      const uri = (await page.locator('#wallet').getAttribute('href')) ?? '';
      expect(uri).to.match(/^bitcoin:\w+\?amount=[\d.]+&label=Shop&message=Two%20shirts%2C%20size%20M$/);
      expect(await scanned(page)).to.equal(uri);
    });
  });

  for (const { id: language } of ALL_LANGUAGES)
    check(`${language}: hold on a phone and a desktop, light and dark`, async () => {
      for (const [viewport, colorScheme] of [
        [{ width: 360, height: 740 }, 'light'],
        [{ width: 1366, height: 768 }, 'dark'],
      ] as const)
        await withPage(browser, { viewport, colorScheme }, async (page) => {
          await openPage(page, {}, `?lang=${language}`);
          if (viewport.width === 360) await page.locator('#wallets > summary').click();
          expect(await overflow(page)).to.equal(0);
          await picture(page, `ways-${language}-${viewport.width}`);
        });
    });
});
