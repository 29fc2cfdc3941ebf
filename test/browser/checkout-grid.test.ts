import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { COINS_ON_NETWORKS } from '../../src/domain/chain/coins.ts';
import { languageNamed } from '../../src/domain/languages/languages.ts';
import { CHECKOUT_STATES, paymentIn, setColumns } from '../support/checkout.ts';
import type { Harness } from '../support/harness.ts';
import type { Listening } from '../support/http.ts';
import { openShop } from '../support/shop.ts';
import { picture, withPage } from './browser.ts';
import { fitsSmallAndLarge, SMALL_AND_LARGE } from './fits.ts';
import { showPages } from './pages.ts';

const VIEWPORTS = [
  { width: 360, height: 740 },
  { width: 390, height: 844 },
  { width: 768, height: 1024 },
  { width: 1366, height: 768 },
  { width: 1440, height: 900 },
] as const;

/** From this width on the code stands beside the amount, and is wholly in the window. */
const BESIDE = 720;
/** In CSS pixels: what a finger meets (WCAG 2.2, 2.5.5). */
const TARGET = 44;
/** Pixels below the content of a box, beyond its padding. */
const MAX_SLACK = 32;
/** Pixels between a part of the sheet and what is above it. */
const MAX_GAP = 24;

const NOTICES: Readonly<Record<string, readonly string[]>> = {
  none: [],
  notice: ['notice'],
  all: ['offline', 'notice', 'unopened'],
};

describe('the grid of the checkout page', () => {
  let harness: Harness;
  let server: Listening;
  let browser: Browser;
  const tokens = new Map<string, string>();
  const check = showPages((opened) => ({ harness, server, browser } = opened));
  before(async () => {
    for (const [state, token] of await paymentsInEveryState(harness)) tokens.set(state, token);
  });

  for (const language of ['en', 'de', 'ar'])
    check(
      `${language}: in every state with any notice no word is broken and no box empty, the code is in the window, and what is tapped is ${TARGET} pixels high; it fits ${SMALL_AND_LARGE}`,
      async () => {
        const longest = languageNamed(language)?.page.findUnseen.replaceAll('{network}', 'Ethereum') ?? '';
        await withPage(browser, {}, async (page) => {
          for (const [state, token] of tokens) {
            await page.goto(`${server.url}/checkout/${token}?lang=${language}`);
            for (const viewport of VIEWPORTS) {
              await page.setViewportSize(viewport);
              for (const [name, shown] of Object.entries(NOTICES)) {
                await notice(page, shown, longest);
                await isSound(page, viewport, `${state}, ${viewport.width}, ${name}`);
              }
            }
            await picture(page, `grid-${state}-${language}`);
            await fitsSmallAndLarge(page, state);
            await picture(page, `${state}-${language}-200`);
            await page.evaluate(`document.documentElement.style.fontSize = ''`);
            await page.setViewportSize(VIEWPORTS[0]);
            await page.evaluate(
              `document.querySelectorAll('details').forEach((one) => { one.open = true; })`,
            );
            expect(await page.evaluate<string[]>(SMALL_TARGETS), state).to.deep.equal([]);
            // No link leads to this shop's help.
            expect(await page.locator('main').innerText(), state).to.not.match(/contact|kontakt|تواصل/i);
          }
        });
      },
    );

  for (const language of ['en', 'de', 'ar'])
    check(`${language}: an open choice breaks no word`, async () => {
      await withPage(browser, {}, async (page) => {
        await page.goto(`${server.url}/checkout/${tokens.get('waiting')}?lang=${language}`);
        await page.locator('#choice > summary').click();
        for (const viewport of VIEWPORTS) {
          await page.setViewportSize(viewport);
          await isSound(page, viewport, `choice, ${viewport.width}`);
        }
      });
    });
});

/** A token for each state of the page: where money came, by a transfer that it shows. */
async function paymentsInEveryState(harness: Harness): Promise<Map<string, string>> {
  const shop = await openShop(harness);
  const tokens = new Map<string, string>();
  const ids = new Map<string, string>();
  for (const [state, { amount_received: amount = '0' }] of Object.entries(CHECKOUT_STATES)) {
    const { id, token_id } = await paymentIn(harness, state === 'sent' ? state : 'waiting');
    if (typeof amount === 'string' && amount !== '0')
      await shop.send(id, { coin: 'USDC', network: 'ethereum', amount });
    tokens.set(state, token_id);
    ids.set(state, id);
  }
  await harness.work();
  for (const [state, id] of ids) await setColumns(harness, id, CHECKOUT_STATES[state] ?? {});
  const repriced = await paymentIn(harness, 'waiting');
  const { apiKey } = await harness.addMerchant();
  const api: Harness['api'] = (method, path) => harness.api(method, path, apiKey);
  const methods = COINS_ON_NETWORKS.filter(({ coin }) => coin !== 'USDC');
  await api('put', '/v1/checkout/appearance').send({ methods }).expect(200);
  const toChoose = await paymentIn({ ...harness, api }, 'waiting');
  await harness
    .api('post', `/checkout/${repriced.token_id}/coin`, null)
    .type('form')
    .send({ coin: 'BTC', network: 'bitcoin' })
    .expect(303);
  await harness.ctx
    .db('quotes')
    .where({ payment_id: repriced.id, coin: 'BTC' })
    .update({ asked_before: '0.00012345' });
  return tokens.set('repriced', repriced.token_id).set('to-choose', toChoose.token_id);
}

/** Shows these notices and no others, at their longest. */
async function notice(page: Page, shown: readonly string[], text: string): Promise<void> {
  await page.evaluate(
    `for (const id of ['offline', 'notice', 'unopened']) {
      const element = document.getElementById(id);
      if (!element) continue;
      element.hidden = !${JSON.stringify(shown)}.includes(id);
      if (id === 'notice') element.textContent = ${JSON.stringify(text)};
    }`,
  );
}

interface Grid {
  readonly broken: readonly string[];
  readonly empty: readonly string[];
  /** Parts of the sheet with room above them that nothing fills. */
  readonly holes: readonly string[];
  /** Hashes and addresses of which a few characters stand alone in their last line. */
  readonly stragglers: readonly string[];
  /** How much wider than the window the page is. */
  readonly wider: number;
  readonly asks: boolean;
  readonly code: { readonly top: number; readonly bottom: number; readonly width: number } | null;
}

async function isSound(
  page: Page,
  { width, height }: { width: number; height: number },
  at: string,
): Promise<void> {
  const { broken, empty, holes, stragglers, wider, asks, code } = await page.evaluate<Grid>(READ_GRID);
  expect(broken, `broken words: ${at}`).to.deep.equal([]);
  expect(empty, `empty boxes: ${at}`).to.deep.equal([]);
  expect(holes, `holes: ${at}`).to.deep.equal([]);
  expect(stragglers, `hashes: ${at}`).to.deep.equal([]);
  expect(wider, at).to.equal(0);
  if (width < BESIDE || !asks) return;
  expect(code, `the code: ${at}`).to.not.equal(null);
  expect(code?.top, at).to.be.at.least(0);
  expect(code?.bottom, `the code ends in the window: ${at}`).to.be.at.most(height);
}

const READ_GRID = `(() => {
  const isSeen = (element) => element.checkVisibility() && !element.closest('.unseen');
  const broken = [], empty = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { currentNode: text } = texts;
    const parent = text.parentElement;
    if (parent.closest('code, script, style, noscript, svg') || !isSeen(parent)) continue;
    for (const { 0: word, index } of text.data.matchAll(/[\\p{Script=Latin}\\p{Script=Arabic}\\p{N}]{2,24}/gu)) {
      const range = document.createRange();
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top / 6))).size > 1) broken.push(word);
    }
  }
  for (const box of document.querySelectorAll('main *')) {
    if (!isSeen(box) || box.closest('svg') || box.matches('input, progress, img, svg')) continue;
    const { backgroundColor, borderTopWidth, borderBottomWidth, paddingBottom, display } = getComputedStyle(box);
    const isBox = backgroundColor !== 'rgba(0, 0, 0, 0)' || (parseFloat(borderTopWidth) > 0 && parseFloat(borderBottomWidth) > 0);
    if (!isBox) continue;
    const content = document.createRange();
    content.selectNodeContents(box);
    const { height, bottom } = content.getBoundingClientRect();
    const slack = box.getBoundingClientRect().bottom - bottom - parseFloat(paddingBottom);
    if (height === 0 || slack > ${MAX_SLACK}) empty.push(box.id || box.className || box.tagName, String(slack));
  }
  const holes = [...document.querySelectorAll('.sheet > :not(.came), .came > *')].filter(isSeen).flatMap((part, _, parts) => {
    const { top, left, right } = part.getBoundingClientRect();
    const above = parts.map((one) => one.getBoundingClientRect())
      .filter((one) => one.bottom <= top + 1 && one.left < right && one.right > left).map((one) => one.bottom);
    const gap = top - Math.max(...above);
    return above.length > 0 && gap > ${MAX_GAP} ? [part.id + ' ' + gap] : [];
  });
  const stragglers = [...document.querySelectorAll('.hash, .id, .address')].filter(isSeen).flatMap((code) => {
    const range = document.createRange();
    range.selectNodeContents(code);
    const groups = code.children.length > 0 ? [...code.children].map((one) => one.getBoundingClientRect()) : [...range.getClientRects()];
    const widths = [];
    let end = Infinity;
    for (const { left, right } of groups) {
      if (left < end - 1) widths.push(0);
      widths[widths.length - 1] += right - left;
      end = right;
    }
    return widths.at(-1) < widths[0] / 2 ? [widths.join(' ')] : [];
  });
  const qr = [...document.querySelectorAll('.qr')].find(isSeen);
  const { top, bottom, width } = qr?.getBoundingClientRect() ?? {};
  return {
    broken, empty, holes, stragglers,
    wider: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    asks: document.body.dataset.code === 'true',
    code: qr ? { top: top + scrollY, bottom: bottom + scrollY, width } : null,
  };
})()`;

/** Links in a sentence are as high as its line (WCAG 2.5.5 excepts them). */
const SMALL_TARGETS = `[...document.querySelectorAll('a, button, summary, label, input:not(.unseen):not([type=hidden])')]
  .filter((one) => one.checkVisibility() && !one.closest('p, dd') && !one.matches('label[for=tx], label[for=mail], label[for=refund-address]'))
  .map((one) => [one.id || one.textContent.trim().slice(0, 20), one.getBoundingClientRect()])
  .filter(([, { height }]) => height < ${TARGET} - 0.5)
  .map(([name, { height }]) => name + ' ' + height)`;
