import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { paymentIn } from '../support/checkout.ts';
import { logo } from '../support/images.ts';
import type { Listening } from '../support/http.ts';
import type { Harness } from '../support/harness.ts';
import { overflow, violations } from './axe.ts';
import { picture, withPage } from './browser.ts';
import { showPages } from './pages.ts';

/** In pixels: what stands for the merchant on a phone is no larger. */
const MAX_MARK = 40;
const WIDTHS = [320, 390, 768, 1440] as const;

interface Case {
  readonly name: string;
  readonly logo?: readonly [width: number, height: number];
  readonly language?: string;
  readonly pay_amount?: string | undefined;
  readonly price_amount?: string;
  readonly price_currency?: string;
  readonly order_description?: string;
}

const WORDS = 'Ōtsuka & Daughters Independent Tea Merchants of Uji, Shizuoka and Yame since 1897, Ltd.';

const CASES: Readonly<Record<string, Case>> = {
  long: { name: `${WORDS} of Japan etc`, pay_amount: '123456789.12345678' },
  unbroken: { name: 'Donaudampfschifffahrtsgesellschaftskapitaen'.repeat(3).slice(0, 100) },
  emoji: { name: '🍵🫖 Tea & 👩‍👩‍👧‍👦 🏳️‍🌈', order_description: '🍵 '.repeat(60) },
  rtl: { name: 'متجر الشاي العربي الأصيل للتوابل والبخور والقهوة', language: 'ar' },
  'rtl-in-english': { name: 'متجر الشاي', logo: [300, 300], pay_amount: '99999.12345678' },
  broad: { name: 'Tea House Ōtsuka', logo: [800, 100] },
  narrow: { name: 'Tea', logo: [60, 480], order_description: `${WORDS} `.repeat(5) },
  plain: { name: 'Shop', logo: [300, 150] },
  priced: {
    name: `${WORDS} of Japan etc`,
    pay_amount: undefined,
    price_amount: '123456789012345.50',
    price_currency: 'IDR',
  },
};

describe('the header of the checkout page', () => {
  let harness: Harness;
  let server: Listening;
  let browser: Browser;
  const check = showPages((opened) => ({ harness, server, browser } = opened));

  const urlOf = async ({ name, logo: size, language = 'en', ...fields }: Case) => {
    const merchant = await harness.addMerchant();
    const api: Harness['api'] = (method, path) => harness.api(method, path, merchant.apiKey);
    await api('put', '/v1/checkout/appearance').send({ name, display_currency: 'EUR' }).expect(200);
    if (size !== undefined)
      await api('put', '/v1/checkout/logo')
        .set('Content-Type', 'image/png')
        .send(await logo(...size))
        .expect(200);
    const { token_id } = await paymentIn({ ...harness, api }, 'waiting', fields);
    return `${server.url}/checkout/${token_id}?lang=${language}`;
  };

  for (const [kind, shop] of Object.entries(CASES))
    check(`${kind}: mark, name, total and description have their places at every width`, async () => {
      const url = await urlOf(shop);
      await withPage(browser, { viewport: { width: 320, height: 740 } }, async (page) => {
        await page.goto(url);
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 800 });
          const { mark, nameLines, broken, overlaps, descriptionLines, isBelow, isWithin } =
            await page.evaluate<Header>(READ_HEADER);
          const at = `at ${width}`;
          expect(Math.max(mark.height, width < 720 ? mark.width : 0), at).to.be.within(12, MAX_MARK);
          expect(nameLines, at).to.be.within(1, 2);
          expect(broken, `broken words ${at}`).to.deep.equal([]);
          expect({ overlaps, isWithin, isBelow, descriptionLines }, at).to.deep.equal({
            overlaps: false,
            isWithin: true,
            isBelow: true,
            descriptionLines: 1,
          });
          expect(await overflow(page), at).to.equal(0);
          if (width !== 768) await picture(page, `header-${kind}-${width}`);
        }
        expect(await violations(page)).to.deep.equal([]);
        await readsWhole(page, shop.name);
      });
    });
});

/** What is cut off is there for whoever opens the order. */
async function readsWhole(page: Page, name: string): Promise<void> {
  expect(await page.locator('h1').textContent()).to.equal(name);
  await page.locator('#order > summary').click();
  const isCut = await page.evaluate<boolean>(
    `[...document.querySelectorAll('h1, .description')].some((one) => one.scrollHeight > one.clientHeight + 2)`,
  );
  expect(isCut, 'opened').to.equal(false);
}

interface Header {
  readonly mark: { readonly width: number; readonly height: number };
  readonly nameLines: number;
  /** Words of the name that would fit into a line and stand on two. */
  readonly broken: readonly string[];
  readonly overlaps: boolean;
  readonly isWithin: boolean;
  readonly isBelow: boolean;
  readonly descriptionLines: number;
}

const READ_HEADER = `(() => {
  const box = (selector) => document.querySelector(selector).getBoundingClientRect();
  const lines = (element) => Math.round(element.clientHeight / parseFloat(getComputedStyle(element).lineHeight));
  const [name, description] = ['h1', '.description'].map((selector) => document.querySelector(selector));
  const mark = [...document.querySelectorAll('.logo, .initials')].filter((one) => one.checkVisibility());
  const text = name.firstChild;
  const broken = [...text.data.matchAll(/\\S+/g)].filter(({ 0: word, index }) => {
    const range = document.createRange();
    range.setStart(text, index);
    range.setEnd(text, index + word.length);
    const tops = new Set([...range.getClientRects()].map(({ top }) => Math.round(top / 4)));
    return word.length < 20 && tops.size > 1;
  }).map(([word]) => word);
  const [a, price, header, below] = [name.getBoundingClientRect(), box('.sum'), box('.summary'), box('.description')];
  return {
    mark: mark.length === 1 ? mark[0].getBoundingClientRect() : { width: 0, height: 0 },
    nameLines: lines(name),
    broken,
    overlaps: a.left < price.right && price.left < a.right && a.top < price.bottom && price.top < a.bottom,
    isWithin: [a, price, below].every(({ left, right }) => left >= header.left - 1 && right <= header.right + 1),
    isBelow: below.top >= Math.max(a.bottom, price.bottom) - 1,
    descriptionLines: lines(description),
  };
})()`;
