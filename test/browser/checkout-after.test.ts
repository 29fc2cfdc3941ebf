import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { CHECKOUT_STATES, paymentIn, setColumns } from '../support/checkout.ts';
import { createHarness, type Harness } from '../support/harness.ts';
import { listen, type Listening } from '../support/http.ts';
import { startMailServer, type MailServer } from '../support/mail-server.ts';
import { refundRow } from '../support/refunds.ts';
import { openShop } from '../support/shop.ts';
import { overflow, violations } from './axe.ts';
import { openBrowser, picture, withPage, stopClock } from './browser.ts';
import { OBSERVER } from './observer.ts';
import { sideBySide } from './side-by-side.ts';

const MINE = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

describe('the checkout page after paying', () => {
  const check = sideBySide();
  let harness: Harness;
  let server: Listening;
  let mails: MailServer;
  let browser: Browser;
  before(async () => {
    mails = await startMailServer();
    harness = await createHarness({ SMTP_URL: mails.url, MAIL_FROM: 'Payments <pay@service.example>' });
    server = await listen(harness.app);
    browser = await openBrowser();
  });
  after(async () => {
    await server.close();
    await harness.close();
    await mails.close();
  });

  const urlOf = (token: string, query = '') => `${server.url}/checkout/${token}${query}`;
  const heard = (page: Page) => page.evaluate<string[]>('window.heard');

  check(
    'shows one progress, and says that the page may be closed, until the payment is settled',
    async () => {
      const { id, token_id } = await paymentIn(harness, 'seen');
      await withPage(browser, {}, async (page) => {
        await page.goto(urlOf(token_id));
        for (const [state, value] of [
          ['seen', '0'],
          ['confirming', '3'],
          ['converting', '12'],
        ] as const) {
          await setColumns(harness, id, CHECKOUT_STATES[state] ?? {});
          await page.locator(`progress[value="${value}"]`).waitFor();
          expect(await page.locator('progress, .steps, ol').count(), state).to.equal(1);
          expect(await page.locator('#progress').innerText()).to.include('You may close this page');
          expect(await page.locator('#said').innerText()).to.not.include('close this page');
        }
        await setColumns(harness, id, CHECKOUT_STATES.settled ?? {});
        await page.locator('#said', { hasText: 'Paid. Thank you!' }).waitFor();
        expect(await page.locator('progress').count()).to.equal(0);
      });
    },
  );

  for (const javaScriptEnabled of [true, false])
    check(
      `a mail address for the receipt is given by keyboard alone, ${javaScriptEnabled ? 'with' : 'without'} JavaScript`,
      async () => {
        const { token_id } = await paymentIn(harness, 'settled');
        await withPage(browser, { javaScriptEnabled, refused: '/receipt' }, async (page) => {
          if (javaScriptEnabled) await page.addInitScript(OBSERVER);
          await page.goto(urlOf(token_id));
          await page.locator('#mail').fill('ben@x');
          await page.locator('#mail').press('Enter');
          await page.locator('#mail-fault').waitFor();
          expect(await page.locator(':focus').getAttribute('id')).to.equal('mail');
          expect(await page.locator('#mail').inputValue()).to.equal('ben@x');
          if (javaScriptEnabled) expect(await violations(page)).to.deep.equal([]);
          await page.locator('#mail').fill('ben@customer.example');
          await page.locator('#mail').press('Enter');
          await page.locator('#proof', { hasText: 'b…@customer.example' }).waitFor();
          expect(await page.locator('#mail').count()).to.equal(0);
          expect(await overflow(page)).to.equal(0);
          if (!javaScriptEnabled) return;
          expect((await heard(page)).at(-1)).to.equal('Your receipt goes there.');
          expect(await page.locator('body:focus').count(), 'the focus is not lost').to.equal(0);
        });
      },
    );

  check('prints with the payment id as its name, and on paper', async () => {
    const { id, token_id } = await paid(harness);
    await withPage(browser, {}, async (page) => {
      await page.addInitScript(
        `window.print = () => { window.printed = document.title; dispatchEvent(new Event('afterprint')); }`,
      );
      await page.goto(urlOf(token_id));
      const title = await page.title();
      await page.locator('#print').click();
      expect(await page.evaluate('window.printed')).to.equal(id);
      expect(await page.title()).to.equal(title);
      await page.emulateMedia({ media: 'print' });
      expect(await page.locator('code', { hasText: id }).isVisible()).to.equal(true);
      for (const hidden of ['#print', '#mail', 'footer'])
        expect(await page.locator(hidden).isVisible(), hidden).to.equal(false);
    });
  });

  check('the link back counts down, and stops for who stays', async () => {
    const { id, token_id } = await paymentIn(harness, 'converting');
    await withPage(browser, {}, async (page) => {
      await page.addInitScript(OBSERVER);
      await stopClock(page);
      await page.goto(urlOf(token_id));
      await setColumns(harness, id, CHECKOUT_STATES.settled ?? {});
      await page.locator('#stay').waitFor();
      const link = page.locator('#success');
      expect(await link.innerText()).to.match(/^Back to Shop\s*20$/);
      const { width } = (await link.boundingBox()) ?? {};
      await page.clock.runFor(12_000);
      expect(await link.innerText()).to.match(/^Back to Shop\s*8$/);
      expect((await link.boundingBox())?.width).to.equal(width);
      const said = (await heard(page)).filter((text) => text.includes('in 20 seconds'));
      expect(said, 'said once').to.deep.equal(['You are taken back to Shop in 20 seconds.']);
      await page.locator('#stay').click();
      expect(await page.locator(':focus').getAttribute('id')).to.equal('success');
      await page.clock.runFor(15_000);
      expect(await link.innerText()).to.equal('Back to Shop');
      expect(page.url()).to.equal(urlOf(token_id));
    });
  });

  check('the link back waits while the customer writes where their receipt goes', async () => {
    const { id, token_id } = await paymentIn(harness, 'converting');
    await withPage(browser, {}, async (page) => {
      await stopClock(page);
      await page.goto(urlOf(token_id));
      await setColumns(harness, id, CHECKOUT_STATES.settled ?? {});
      await page.locator('#stay').waitFor();
      await page.locator('#mail').fill('ben@');
      await page.clock.runFor(30_000);
      expect(page.url()).to.equal(urlOf(token_id));
      expect(await page.locator('#mail').inputValue()).to.equal('ben@');
      await page.locator('#mail').fill('ben@customer.example');
      await page.locator('#mail').press('Enter');
      await page.locator('#proof', { hasText: 'b…@customer.example' }).waitFor();
      const left = async () => Number(/\d+$/.exec(await page.locator('#success').innerText())?.[0]);
      const before_ = await left();
      await page.clock.runFor(3_000);
      expect(await left(), 'it goes on').to.be.below(before_);
    });
  });

  check('a refund that waits for an address comes first, and is confirmed in fours', async () => {
    const { id, token_id } = await paid(harness);
    await harness.ctx.db('refunds').insert(refundRow(id, harness.ctx.now(), { status: 'NEEDS_ADDRESS' }));
    for (const [language, viewport, colorScheme] of [
      ['en', { width: 360, height: 740 }, 'light'],
      ['ja', { width: 768, height: 1024 }, 'dark'],
      ['ar', { width: 1366, height: 768 }, 'light'],
    ] as const)
      await withPage(browser, { viewport, colorScheme }, async (page) => {
        await page.goto(urlOf(token_id, `?lang=${language}`));
        const box = async (selector: string) =>
          (await page.locator(selector).boundingBox()) ?? { x: 0, y: 0 };
        expect((await box('#said h2')).y).to.be.below((await box('#said h3')).y);
        expect(await violations(page)).to.deep.equal([]);
        await picture(page, `refund-asked-${language}-${viewport.width}`);
        await page.locator('#refund-address').fill(MINE);
        await page.locator('#refund-address').press('Enter');
        await page.locator('#refund-check').waitFor();
        const groups = await page.locator('#refund .address > *').allTextContents();
        expect(groups.slice(0, 3)).to.deep.equal(['0x5aAe', 'b605', '3F3E']);
        const lefts = await page
          .locator('#refund .address')
          .evaluate((code: { innerText: string }) => code.innerText);
        expect(lefts.replaceAll(/\s/g, '')).to.equal(MINE);
        const [first, line] = [await box('#refund .address > :first-child'), await box('#refund .address')];
        expect(Math.abs(first.x - line.x), 'left-aligned').to.be.below(2);
        expect(await overflow(page)).to.equal(0);
        await picture(page, `refund-confirm-${language}-${viewport.width}`);
      });
  });

  check('an expired page without any link still says what to do', async () => {
    const { token_id } = await paymentIn(harness, 'expired', {
      cancel_url: undefined,
      success_url: undefined,
    });
    await withPage(browser, {}, async (page) => {
      await page.goto(urlOf(token_id));
      expect(await page.locator('#ways').innerText()).to.equal('To pay again, order once more at Shop.');
      expect(await page.locator('#find > summary').isVisible()).to.equal(true);
    });
  });

  check('a form whose answer is a new state announces both', async () => {
    const { token_id } = await paymentIn(harness, 'waiting');
    await withPage(browser, {}, async (page) => {
      await page.addInitScript(OBSERVER);
      // What was announced leaves the page after 5 s, and the answer may come long after the stream.
      await stopClock(page);
      await page.goto(urlOf(token_id));
      await page.locator('#simulate-pay').click();
      await page.locator('#said', { hasText: 'We have seen your payment' }).waitFor();
      await page.locator('#outcome:not(:empty)').waitFor();
      const texts = await heard(page);
      expect(texts.some((text) => text.startsWith('We have seen your payment'))).to.equal(true);
      expect(texts).to.include('Simulated transfer sent.');
      expect(await page.locator('#heard').innerText(), 'none takes the place of another').to.include(
        'We have seen',
      );
    });
  });
});

/** A payment that was paid by a transfer, and has settled. */
async function paid(harness: Harness) {
  const payment = await paymentIn(harness, 'waiting');
  const shop = await openShop(harness);
  await shop.send(payment.id, { coin: 'USDC', network: 'ethereum', amount: '10.50' });
  await setColumns(harness, payment.id, CHECKOUT_STATES.settled ?? {});
  return payment;
}
