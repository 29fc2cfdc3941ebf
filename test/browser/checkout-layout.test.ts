import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { ALL_LANGUAGES } from '../../src/domain/languages/languages.ts';
import { paymentIn } from '../support/checkout.ts';
import type { Listening } from '../support/http.ts';
import type { Harness } from '../support/harness.ts';
import { overflow } from './axe.ts';
import { withPage } from './browser.ts';
import { showPages } from './pages.ts';

const PHONE = { width: 360, height: 740 };
const DESKTOP = { width: 1366, height: 768 };

/** What a customer needs to pay, from top to bottom of a phone. */
const NEEDED = [
  'h1',
  '.price',
  '#said h2',
  '#choice > summary',
  '#amount',
  '#copy-amount',
  '#address',
  '#copy-address',
  '.deadline',
  '#wallet',
];

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

async function boxOf(page: Page, selector: string): Promise<Box> {
  const box = await page.locator(selector).boundingBox();
  if (box === null) throw new Error(`${selector} is not shown`);
  return box;
}

describe('the checkout page without scrolling', () => {
  let harness: Harness;
  let server: Listening;
  let browser: Browser;
  const check = showPages((opened) => ({ harness, server, browser } = opened));

  const urlOf = (token: string, language: string) => `${server.url}/checkout/${token}?lang=${language}`;
  const isWithin = async (page: Page, selector: string, { width, height }: typeof PHONE) => {
    const box = await boxOf(page, selector);
    expect(box.x, `${selector}, start`).to.be.at.least(0);
    expect(box.y, `${selector}, top`).to.be.at.least(0);
    expect(box.x + box.width, `${selector}, end`).to.be.at.most(width);
    expect(box.y + box.height, `${selector}, bottom`).to.be.at.most(height);
  };

  for (const { id: language } of ALL_LANGUAGES)
    for (const javaScriptEnabled of [true, false])
      check(
        `${language}: a phone shows all that is needed to pay, ${javaScriptEnabled ? 'with' : 'without'} JavaScript`,
        async () => {
          const { token_id } = await paymentIn(harness, 'waiting');
          await withPage(browser, { viewport: PHONE, javaScriptEnabled }, async (page) => {
            await page.goto(urlOf(token_id, language));
            const copying = (selector: string) => selector.startsWith('#copy-');
            // Here the links into wallets are a sheet.
            const onPhone = NEEDED.map((name) => (name === '#wallet' ? '#wallets > summary' : name));
            for (const selector of onPhone.filter((name) => javaScriptEnabled || !copying(name)))
              await isWithin(page, selector, PHONE);
            await isWithin(page, '#show-code > summary', PHONE);
            expect(await page.locator('.qr:visible').count(), 'the code waits behind its button').to.equal(0);
            const [name, price] = [await boxOf(page, 'h1'), await boxOf(page, '.price')];
            expect(Math.abs(name.y - price.y), 'merchant and total in one line').to.be.below(8);
          });
        },
      );

  for (const language of ['en', 'ar'])
    check(`${language}: a desktop shows everything, with the code beside amount and address`, async () => {
      const { token_id } = await paymentIn(harness, 'waiting');
      await withPage(browser, { viewport: DESKTOP }, async (page) => {
        await page.goto(urlOf(token_id, language));
        for (const selector of [...NEEDED, '.qr:visible', '.warning:visible'])
          await isWithin(page, selector, DESKTOP);
        const [code, amount] = [await boxOf(page, '.qr:visible'), await boxOf(page, '#amount')];
        const [address, status] = [await boxOf(page, '#address'), await boxOf(page, '#said h2')];
        const isBeside = (box: Box) =>
          language === 'ar' ? code.x + code.width <= box.x : code.x >= box.x + box.width;
        expect([isBeside(amount), isBeside(address)]).to.deep.equal([true, true]);
        expect(code.y, 'at the same height').to.be.below(address.y + address.height);
        expect(code.y - (status.y + status.height), 'the state is by the code').to.be.within(0, 200);
      });
    });

  check('the title begins with the state', async () => {
    const { token_id } = await paymentIn(harness, 'confirming');
    await withPage(browser, {}, async (page) => {
      await page.goto(urlOf(token_id, 'en'));
      expect(await page.title()).to.equal('Confirming: 3 of 12 · Payment to Shop');
    });
  });

  check(
    'the address is in fours with its ends emphasised, has a checksum, and is copied without gaps',
    async () => {
      const { token_id } = await paymentIn(harness, 'waiting');
      await withPage(browser, {}, async (page) => {
        await page.goto(urlOf(token_id, 'en'));
        const groups = await page.locator('#address > *').allTextContents();
        expect(groups.join(''))
          .to.match(/^0x[0-9a-fA-F]{40}$/)
          .and.not.match(/^0x[0-9a-f]{40}$/);
        expect(groups.slice(1).every((group) => group.length === 4)).to.equal(true);
        expect(await page.locator('#address > b').count()).to.equal(4);
        expect(await overflow(page)).to.equal(0);
      });
    },
  );

  check('the code on a phone opens in place', async () => {
    const { token_id } = await paymentIn(harness, 'waiting');
    await withPage(browser, { viewport: PHONE }, async (page) => {
      await page.goto(urlOf(token_id, 'en'));
      await page.locator('#show-code > summary').press('Enter');
      await page.locator('.qr:visible').waitFor();
      expect(await overflow(page)).to.equal(0);
    });
  });
});
