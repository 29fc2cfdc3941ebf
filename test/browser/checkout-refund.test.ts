import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { CHECKOUT_STATES, paymentIn, setColumns } from '../support/checkout.ts';
import type { Listening } from '../support/http.ts';
import type { Harness } from '../support/harness.ts';
import { overflow, violations } from './axe.ts';
import { picture, withPage } from './browser.ts';
import { showPages } from './pages.ts';

const MINE = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const MISTYPED = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD';

describe('naming an address for refunds, in a browser', () => {
  let harness: Harness;
  let server: Listening;
  let browser: Browser;
  const check = showPages((opened) => ({ harness, server, browser } = opened));

  for (const javaScriptEnabled of [true, false])
    check(
      `by keyboard alone: what is wrong is said at the field, what is right is kept, ${javaScriptEnabled ? 'with' : 'without'} JavaScript`,
      async () => {
        const { token_id } = await paymentIn(harness, 'expired-partly');
        const look = { javaScriptEnabled, refused: '/refund-address' };
        await withPage(browser, look, async (page) => {
          await page.goto(`${server.url}/checkout/${token_id}?lang=de`);
          await page.locator('#refund-address').focus();
          await page.keyboard.type(MISTYPED);
          await page.keyboard.press('Enter');
          await page.locator('#refund-fault').waitFor();
          const field = page.locator('#refund-address');
          expect(await field.inputValue()).to.equal(MISTYPED);
          expect(await page.locator(':focus').getAttribute('id')).to.equal('refund-address');
          expect(await field.getAttribute('aria-describedby')).to.equal('refund-fault');
          expect(await overflow(page)).to.equal(0);
          if (javaScriptEnabled) expect(await violations(page)).to.deep.equal([]);
          await picture(page, `refund-refused-${javaScriptEnabled ? 'script' : 'plain'}`);
          await field.fill(MINE);
          await page.keyboard.press('Enter');
          await page.locator('#refund-check').waitFor();
          expect(await page.locator(':focus').getAttribute('id')).to.equal('refund-check');
          expect(await page.locator('#refund .facts').innerText()).to.match(
            /4,00.USDC[^]+Ethereum[^]+0x5aAeb6/,
          );
          expect(await overflow(page)).to.equal(0);
          if (javaScriptEnabled) expect(await violations(page)).to.deep.equal([]);
          await picture(page, `refund-check-${javaScriptEnabled ? 'script' : 'plain'}`);
          for (const key of ['Tab', 'Tab', 'Enter']) await page.keyboard.press(key);
          await page.locator('#refund-address').waitFor();
          expect(await field.inputValue(), 'changed').to.equal(MINE);
          expect(await page.locator('#refund-fault').count()).to.equal(0);
          await field.press('Enter');
          await page.locator('#refund-check:focus').waitFor();
          for (const key of ['Tab', 'Enter']) await page.keyboard.press(key);
          await page.locator('#refund:not(:has(#refund-check)) code', { hasText: MINE }).waitFor();
          const url = `${server.url}/checkout/${token_id}?lang=de`;
          expect(page.url()).to.equal(javaScriptEnabled ? url : `${url}#refund`);
          expect(await overflow(page)).to.equal(0);
          await picture(page, `refund-kept-${javaScriptEnabled ? 'script' : 'plain'}`);
        });
      },
    );

  check('what is being typed stays while the payment goes on', async () => {
    const policy = { overpaid: 'refund_excess' };
    const { id, token_id } = await paymentIn(harness, 'overpaid', { policy });
    await withPage(browser, {}, async (page) => {
      await page.goto(`${server.url}/checkout/${token_id}`);
      await page.locator('#refund-address').focus();
      await page.keyboard.type('0x5aAe');
      const { status, confirmations } = CHECKOUT_STATES.converting ?? {};
      await setColumns(harness, id, { status, confirmations });
      await page.locator('#said', { hasText: 'now converting' }).waitFor();
      await page.keyboard.type('b6');
      expect(await page.locator('#refund-address').inputValue()).to.equal('0x5aAeb6');
    });
  });
});
