import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { paymentIn, setColumns } from '../support/checkout.ts';
import type { Harness } from '../support/harness.ts';
import type { Listening } from '../support/http.ts';
import { violations } from './axe.ts';
import { picture, stopClock, withPage } from './browser.ts';
import { OBSERVER } from './observer.ts';
import { showPages } from './pages.ts';

const PHONE = { width: 360, height: 740 };
const DESKTOP = { width: 1366, height: 768 };

/** One after the other: they move the clock and the market that they share. */
describe('the price on the checkout page', () => {
  let harness: Harness;
  let server: Listening;
  let browser: Browser;
  showPages((opened) => ({ harness, server, browser } = opened));
  afterEach(() => move(null));

  const urlOf = (token: string, query = '') => `${server.url}/checkout/${token}${query}`;
  const move = (BTC: string | null) =>
    harness.api('post', '/v1/sandbox/rates').send({ rates: { BTC } }).expect(200);
  /** A payment whose amount is locked for 15 minutes. */
  const inBitcoin = async (page: Page) => {
    const { id, token_id } = await paymentIn(harness, 'waiting', { expiration_minutes: 60 });
    await page.request.post(`${urlOf(token_id)}/coin`, { form: { coin: 'BTC', network: 'bitcoin' } });
    return { id, url: urlOf(token_id) };
  };
  const endLock = async () => {
    harness.advance(900);
    await harness.work();
  };
  const colorOf = (page: Page) =>
    page.evaluate<string>(`getComputedStyle(document.getElementById('left')).color`);
  const left = (page: Page) => page.locator('#left').textContent();

  for (const javaScriptEnabled of [true, false])
    it(`counts down to the nearer of lock and deadline, ${javaScriptEnabled ? 'with' : 'without'} JavaScript: amber at five minutes, red at one`, async () => {
      await withPage(browser, { viewport: PHONE, javaScriptEnabled }, async (page) => {
        const { url } = await inBitcoin(page);
        if (javaScriptEnabled) await stopClock(page);
        await page.goto(url);
        expect(await page.locator('.deadline').textContent()).to.match(
          /^This price holds for 1[45]:\d\d, until /,
        );
        expect(await page.locator('.deadline + p').textContent()).to.match(/^Please pay by [^,]+\.$/);
        expect(await page.locator('#left').getAttribute('class')).to.equal('');
        const colors = new Set([await colorOf(page)]);
        for (const [seconds, tone] of [
          [620, 'soon'],
          [240, 'last'],
        ] as const) {
          harness.advance(seconds);
          await page.reload();
          expect(await page.locator('#left').getAttribute('class')).to.equal(tone);
          colors.add(await colorOf(page));
          await picture(page, `clock-${tone}-${String(javaScriptEnabled)}`);
        }
        expect(await left(page)).to.match(/^0:[34]\d$/);
        expect(colors.size, 'three colours').to.equal(3);
        if (javaScriptEnabled) {
          // axe waits for timers of the page.
          await page.clock.resume();
          expect(await violations(page)).to.deep.equal([]);
        }
        harness.advance(40);
        await page.reload();
        expect(await page.locator('.deadline').textContent()).to.include('This price has ended');
        await harness.work();
        await page.reload();
        expect(await left(page), 'the rate did not move').to.match(/^1[45]:\d\d$/);
        expect(await page.locator('#repriced').count()).to.equal(0);
        // The settlement coin has no lock: its one clock is the deadline's.
        await page.request.post(`${url}/coin`, { form: { coin: 'USDC', network: 'ethereum' } });
        await page.reload();
        expect(await page.locator('.deadline').textContent()).to.match(/^Pay within 4[45]:\d\d, by /);
      });
    });

  it('is not set back by an update of another component', async () => {
    const { id, token_id } = await paymentIn(harness, 'waiting', { expiration_minutes: 60 });
    await withPage(browser, {}, async (page) => {
      await page.goto(urlOf(token_id));
      await page.evaluate('endsAt -= 600_000');
      // The clock of the page shows it with its next second.
      await page.locator('#left', { hasText: /^(50|49):/ }).waitFor();
      await setColumns(harness, id, { cancel_url: null });
      await page.locator('#cancel').waitFor({ state: 'detached' });
      expect(await left(page)).to.match(/^(50|49):/);
    });
  });

  it('says the old and the new amount, and what holds for who has sent, once, aloud, and without a script', async () => {
    await withPage(browser, { viewport: DESKTOP }, async (page) => {
      await page.addInitScript(OBSERVER);
      const { url } = await inBitcoin(page);
      await page.goto(url);
      expect(await page.locator('#amount').textContent()).to.equal('0.000175');
      await move('50000');
      await endLock();
      const notice = page.locator('#repriced', {
        hasText:
          'New price: 0.00021 BTC instead of 0.000175 BTC. Already sent 0.000175 BTC? Do not send again',
      });
      await notice.waitFor();
      expect(await page.locator('#amount').textContent()).to.equal('0.00021');
      expect(await page.locator('#wallet').getAttribute('href')).to.include('amount=0.00021');
      const [first, ...others] = await page.evaluate<string[]>('window.heard');
      expect(first).to.include('New price: 0.00021 BTC instead of 0.000175 BTC.');
      expect(others).to.deep.equal([]);
      expect(await violations(page)).to.deep.equal([]);
      for (const [name, viewport, colorScheme, query] of [
        ['desktop', DESKTOP, 'light', ''],
        ['phone', PHONE, 'dark', ''],
        ['phone-ar', PHONE, 'light', '?lang=ar'],
      ] as const)
        await withPage(browser, { viewport, colorScheme, javaScriptEnabled: false }, async (plain) => {
          await plain.goto(`${url}${query}`);
          await plain.locator('#repriced').waitFor();
          await picture(plain, `repriced-${name}`);
        });
      // Money that comes changes the amount for another reason.
      await page.request.post(`${url}/simulate`, { form: { do: 'half' } });
      await page.locator('#said', { hasText: 'Part of your payment is here' }).waitFor();
      expect(await page.locator('#amount').textContent()).to.equal('0.000105');
      expect(await page.locator('#repriced').count()).to.equal(0);
      // And so does the end of the next lock, for what is still missing.
      await move('60000');
      await endLock();
      await page
        .locator('#repriced', { hasText: 'New price: 0.0000875 BTC instead of 0.000105 BTC.' })
        .waitFor();
    });
  });
});
