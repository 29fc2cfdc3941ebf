import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { createPayment, listen, type Listening } from '../support/http.ts';
import { startReceiver, type Receiver } from '../support/receivers.ts';
import { openShop } from '../support/shop.ts';
import { createHarness, type Harness } from '../support/harness.ts';
import { overflow, violations } from './axe.ts';
import { openBrowser, picture, withPage, stopClock } from './browser.ts';
import { OBSERVER } from './observer.ts';
import { sideBySide } from './side-by-side.ts';

describe("playing the customer in the simulator's panel, on a phone", () => {
  const check = sideBySide();
  let harness: Harness;
  let server: Listening;
  let website: Receiver;
  let browser: Browser;
  before(async () => {
    harness = await createHarness();
    server = await listen(harness.app);
    website = await startReceiver({
      answer: () => ({ headers: { 'Content-Type': 'text/html' }, body: '<h1>Thank you for your order</h1>' }),
    });
    browser = await openBrowser();
  });
  after(async () => {
    await website.close();
    await server.close();
    await harness.close();
  });

  const urlOf = (token: string, query = '') => `${server.url}/checkout/${token}${query}`;
  const says = (page: Page, text: string) => page.locator('#said', { hasText: text }).waitFor();
  /** For what mines blocks, which moves every payment of its harness. */
  const inOwnWorld = async (use: (own: Harness, url: string) => Promise<void>) => {
    const own = await createHarness();
    const ownServer = await listen(own.app);
    try {
      await use(own, ownServer.url);
    } finally {
      await ownServer.close();
      await own.close();
    }
  };
  const focused = (page: Page) => page.locator(':focus').getAttribute('id');

  for (const javaScriptEnabled of [true, false]) {
    const how = javaScriptEnabled ? 'with JavaScript' : 'without JavaScript';
    const name = javaScriptEnabled ? 'script' : 'plain';
    /** A stream may show the new state before the click is answered. */
    const sent = async (page: Page) => {
      if (javaScriptEnabled)
        await page.locator('#heard', { hasText: 'Simulated transfer sent.' }).waitFor({ state: 'attached' });
    };
    const onPage = async (use: (page: Page) => Promise<void>) => {
      const { token_id } = await createPayment(harness);
      await withPage(browser, { javaScriptEnabled }, async (page) => {
        if (javaScriptEnabled) await stopClock(page);
        await page.goto(urlOf(token_id));
        await use(page);
      });
    };

    check(`the customer pays in the simulator panel and is redirected, ${how}`, () =>
      inOwnWorld(async (own, url) => {
        const shop = await openShop(own);
        const thanks = `http://127.0.0.1:${website.port}/thanks?from=pay`;
        const { id, token_id } = await createPayment(own, { success_url: thanks });
        await withPage(browser, { javaScriptEnabled }, async (page) => {
          if (javaScriptEnabled) await stopClock(page);
          await page.goto(`${url}/checkout/${token_id}`);
          await page.getByRole('button', { name: 'Pay exactly' }).click();
          await says(page, 'We have seen your payment');
          expect(await page.locator('#address').count()).to.equal(0);
          await picture(page, `simulator-seen-${name}`);
          await shop.mine(3);
          await says(page, 'Confirming: 3 of 12');
          await shop.mine(10);
          await says(page, 'Paid. Thank you!');
          expect(await page.locator('#simulator').isVisible()).to.equal(false);
          if (javaScriptEnabled) await page.clock.runFor(21_000);
          else await page.locator('#success').click();
          await page.waitForURL('**/thanks**');
          expect(page.url()).to.equal(`${thanks}&payment_id=${id}&order_id=order+1&status=SETTLED`);
          expect(await page.locator('h1').textContent()).to.equal('Thank you for your order');
        });
      }),
    );

    check(`pays half, and then the rest, ${how}`, () =>
      onPage(async (page) => {
        await page.getByRole('button', { name: 'Pay half 5.25 USDC' }).click();
        await says(page, 'Part of your payment is here');
        expect(await page.locator('#amount').textContent()).to.equal('5.25');
        await picture(page, `simulator-underpaid-${name}`);
        await sent(page);
        await page.getByRole('button', { name: 'Pay exactly 5.25 USDC' }).click();
        await says(page, 'We have seen your payment');
      }),
    );

    check(`pays double, which is said to be too much, ${how}`, () =>
      onPage(async (page) => {
        await page.getByRole('button', { name: 'Pay double 21.00 USDC' }).click();
        await says(page, 'You sent more than was asked: 21.00 USDC');
      }),
    );

    check(`replaces the transfer, ${how}`, () =>
      onPage(async (page) => {
        await page.getByRole('button', { name: 'Pay exactly' }).click();
        await sent(page);
        await page.getByRole('button', { name: 'Replace the transfer' }).click();
        await says(page, 'Your transfer was replaced');
        expect(await page.locator('#simulator').isVisible()).to.equal(false);
      }),
    );

    check(`lets the payment expire, ${how}`, () =>
      onPage(async (page) => {
        await page.getByRole('button', { name: 'Let it expire' }).click();
        await says(page, 'This payment has expired');
        await picture(page, `simulator-expired-${name}`);
      }),
    );
  }

  check('stays in its language without JavaScript, where the customer sees what happened', async () => {
    const { token_id } = await createPayment(harness);
    await withPage(browser, { javaScriptEnabled: false, locale: 'en-GB' }, async (page) => {
      await page.goto(urlOf(token_id, '?lang=de'));
      await page.getByRole('button', { name: 'Die Hälfte zahlen' }).click();
      await page.locator('html[lang=de] #said', { hasText: 'Ein Teil' }).waitFor();
      expect(page.url()).to.equal(`${urlOf(token_id, '?lang=de')}#status`);
    });
  });

  check('renews the page in place, by keyboard: focus stays, the live regions say the outcome', async () => {
    const { token_id } = await createPayment(harness);
    await withPage(browser, {}, async (page) => {
      // What was announced leaves the page after 5 s.
      await stopClock(page);
      await page.goto(urlOf(token_id));
      await page.evaluate(`window.kept = document.getElementById('said')`);
      await page.locator('#simulate-half').press('Enter');
      await says(page, 'Part of your payment is here');
      await page.locator('#heard', { hasText: 'Simulated transfer sent.' }).waitFor({ state: 'attached' });
      expect(await page.locator('#outcome').textContent()).to.equal('Simulated transfer sent.');
      expect(await focused(page)).to.equal('simulate-half');
      await page.locator('#simulate-pay').press('Space');
      await says(page, 'We have seen your payment');
      expect(await focused(page), 'the button is gone').to.equal('status');
      expect(
        await page.evaluate(`window.kept === document.getElementById('said') && window.kept.isConnected`),
      ).to.equal(true);
      expect(page.url()).to.equal(urlOf(token_id));
    });
  });

  for (const [colorScheme, language] of [
    ['light', 'en'],
    ['dark', 'en'],
    ['light', 'ar'],
    ['dark', 'ar'],
  ] as const)
    check(
      `says why nothing was done, ${colorScheme}, ${language}: it fits, and axe finds nothing`,
      async () => {
        const { id, token_id } = await createPayment(harness);
        await withPage(browser, { colorScheme, refused: '/simulate' }, async (page) => {
          await page.addInitScript(OBSERVER);
          await page.goto(urlOf(token_id, `?lang=${language}`));
          // Somebody else moves the clock meanwhile.
          const until = new Date(harness.ctx.systemNow().getTime() + 60_000);
          await harness.ctx
            .db('payments')
            .where({ id })
            .update({ test_clock: id, clock_frozen_until: until });
          await page.locator('#simulate-expire').click();
          await page.locator('#outcome.warning').waitFor();
          expect(await page.evaluate<string[]>('window.heard')).to.deep.equal([
            await page.locator('#outcome').textContent(),
          ]);
          expect(await focused(page)).to.equal('simulate-expire');
          expect([await violations(page), await overflow(page)]).to.deep.equal([[], 0]);
          await picture(page, `simulator-held-${language}-${colorScheme}`);
          await page.evaluate(`document.documentElement.style.fontSize = '200%'`);
          expect(await overflow(page)).to.equal(0);
        });
      },
    );

  check('says that it did not work when nobody answers, and works again afterwards', async () => {
    const { token_id } = await createPayment(harness);
    await withPage(browser, { refused: '/simulate' }, async (page) => {
      await page.goto(urlOf(token_id));
      await page.route('**/simulate', (route) => route.abort(), { times: 1 });
      await page.locator('#simulate-pay').click();
      await page.locator('#outcome.warning', { hasText: 'That did not work' }).waitFor();
      await page.locator('#simulate-pay').click();
      await says(page, 'We have seen your payment');
    });
  });
});
