import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { setWebhookConfig } from '../../src/domain/webhooks/endpoints/settings.ts';
import { joinDesk } from '../support/desk.ts';
import type { Harness } from '../support/harness.ts';
import { createPayment, type Listening, type Payment } from '../support/http.ts';
import { startReceiver, type Receiver } from '../support/receivers.ts';
import { withPage } from './browser.ts';
import { lookAt, tabTo } from './look.ts';
import { SMALL_AND_LARGE } from './fits.ts';
import { showPages } from './pages.ts';

const LONG = 'a-very-long-name-of-a-thing-that-has-no-space-in-it-at-all';

describe('the payments of the desk in a browser', () => {
  let harness: Harness;
  let server: Listening;
  let browser: Browser;
  let receiver: Receiver;
  let sold: string;
  let shown: string;
  let phoned: Payment;
  const check = showPages((opened) => ({ harness, server, browser } = opened));
  before(async () => {
    receiver = await startReceiver({ answer: () => ({ status: 500, body: `no such order: ${LONG}` }) });
    const settings = { webhookUrl: receiver.url, enabled: true };
    await setWebhookConfig(harness.ctx.db, harness.merchant.id, settings, harness.ctx.now());
    // One after the other: jobs that cases run at once would meet.
    sold = await settled({ order_id: 'mouse-1', metadata: { sku: 'Red Shoe' } });
    shown = await settled({ order_id: LONG, metadata: { sku: LONG } });
    phoned = await createPayment(harness, { order_id: 'phone-1' });
    await harness.work();
  });
  after(() => receiver.close());

  const list = () => `/dashboard/${harness.merchant.id}/payments`;
  const url = (id: string, rest = '') => `${server.url}${list()}/${id}${rest}`;
  /** A browser of somebody who is signed in. */
  const withPerson = async (
    email: string,
    use: (page: Page) => Promise<void>,
    options: {
      viewport?: { width: number; height: number };
      javaScriptEnabled?: boolean;
      refused?: RegExp;
    } = {},
  ) => {
    const person = await joinDesk(harness, email);
    await withPage(browser, { userAgent: `Browser of ${email}`, ...options }, async (page) => {
      const cookies = [...person.cookies].map(([name, value]) => ({ name, value, url: server.url }));
      await page.context().addCookies(cookies);
      await use(page);
    });
  };
  const settled = async (fields: object = {}) => {
    const { id } = await createPayment(harness, fields);
    await harness.api('post', `/v1/sandbox/payments/${id}/transfers`).send({}).expect(201);
    for (let block = 0; block < 14; block += 1) {
      await harness.work();
      harness.advance(12);
    }
    await harness.work();
    return id;
  };
  const said = (page: Page, text: string) => page.getByRole('status').filter({ hasText: text }).waitFor();

  check('are searched, opened, and refunded after a look at what is sent, by mouse', async () => {
    const id = sold;
    await withPerson('mouse@shop.example', async (page) => {
      await page.goto(`${server.url}${list()}`);
      await page.getByLabel('Search').fill('red sh');
      await page.getByRole('button', { name: 'Search' }).click();
      await page.getByRole('link', { name: id }).click();
      await page.getByRole('link', { name: 'Refund' }).click();
      await page.getByLabel('Amount').fill('4');
      await page.getByLabel('Where the money goes').selectOption('sender');
      await page.getByLabel('Reason').fill('The shoe is blue');
      await page.getByRole('button', { name: 'Look at what would be sent' }).click();
      await page.getByRole('heading', { name: 'Refund: is this right?' }).waitFor();
      await page.getByText('4 USDC, Ethereum').waitFor();
      await page.getByRole('button', { name: 'Refund now' }).dblclick();
      await said(page, 'The refund was accepted.');
      expect(await harness.ctx.db('refunds').where({ payment_id: id })).to.have.lengthOf(1);
    });
  });

  check('keep a view, cancel a payment and copy its link, by keyboard alone', async () => {
    const { id, checkout_url } = await createPayment(harness, { order_id: 'keys-1' });
    await withPerson('keys@shop.example', async (page) => {
      await page.goto(`${server.url}${list()}?order_id=keys-1`);
      await tabTo(page, 'Name of the view');
      await page.keyboard.type('Mine');
      await page.keyboard.press('Enter');
      await page.getByRole('link', { name: 'Mine' }).waitFor();
      await tabTo(page, id);
      await page.keyboard.press('Enter');
      await page.waitForURL(url(id));
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await tabTo(page, 'Copy the link');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Copied' }).waitFor();
      expect(await page.evaluate('navigator.clipboard.readText()')).to.equal(checkout_url);
      await tabTo(page, 'Cancel the payment');
      await page.keyboard.press('Enter');
      await tabTo(page, 'Cancel it now');
      await page.keyboard.press('Enter');
      await said(page, 'The payment was cancelled.');
    });
  });

  check(
    'are paid by the simulated customer, and lead to their webhooks, on a phone without a script',
    async () => {
      const { id, checkout_url } = phoned;
      const phone = { viewport: { width: 360, height: 740 }, javaScriptEnabled: false };
      await withPerson(
        'phone@shop.example',
        async (page) => {
          await page.goto(url(id));
          expect(await page.getByLabel('Page of the customer').inputValue()).to.equal(checkout_url);
          expect(await page.getByRole('button', { name: 'Copy' }).count()).to.equal(0);
          await page.getByRole('button', { name: 'Pay 10.50 USDC' }).click();
          await said(page, 'Done.');
          await page.getByRole('link', { name: 'Webhooks' }).click();
          await page.getByRole('link', { name: 'Webhook', exact: true }).first().click();
          await page.getByText('no such order').first().waitFor();
        },
        phone,
      );
    },
  );

  check(`have no fault that axe finds, on light and dark screens, and fit ${SMALL_AND_LARGE}`, async () => {
    const id = shown;
    const price = { price_amount: '10.50', price_currency: 'EUR', pay_amount: undefined };
    const buyer = { customer_email: 'carla@buyer.example' };
    const open = await createPayment(harness, { order_id: 'looks-1', ...buyer, ...price });
    await withPerson(
      'looks@shop.example',
      async (page) => {
        await page.goto(`${server.url}${list()}?status=SETTLED&status=EXPIRED`);
        await page.getByLabel('Name of the view').fill('All that ended');
        await page.getByRole('button', { name: 'Keep these filters as a view' }).click();
        await look(page, 'view', null);
        await look(page, 'prices', `${list()}?range=today`);
        await look(page, 'found', `${list()}?q=a-very`);
        await look(page, 'found-none', `${list()}?q=nothing`);
        await look(page, 'waiting', `${list()}/${open.id}`);
        await page.getByText('Cancel the payment').click();
        await look(page, 'cancel', null);
        await look(page, 'refund', `${list()}/${id}/refund`);
        await page.getByLabel('Amount').fill('11');
        await page.getByRole('button', { name: 'Look at what would be sent' }).click();
        await look(page, 'refund-fault', null);
        await page.getByLabel('Amount').fill('4');
        await page.getByLabel('Where the money goes').selectOption('sender');
        await page.getByRole('button', { name: 'Look at what would be sent' }).click();
        await look(page, 'refund-preview', null);
        await page.getByRole('link', { name: 'Change it' }).click();
        await page.getByLabel('Amount').fill('2.50');
        await page.getByLabel('Currency').selectOption('EUR');
        await page.getByLabel('Where the money goes').selectOption('sender');
        await page.getByRole('button', { name: 'Look at what would be sent' }).click();
        await page.getByText('2.50 EUR').waitFor();
        await look(page, 'refund-price', null);
        await page.getByRole('button', { name: 'Refund now' }).click();
        await look(page, 'refunded', `${list()}/${id}?said=refunded`);
        await look(page, 'everything', `${list()}/${id}?show=all`);
        await look(page, 'webhooks', `${list()}/${id}?show=webhooks`);
        await look(page, 'refund-none', `${list()}/${open.id}/refund`);
      },
      { refused: /status of 400/ },
    );
  });

  /** Null: what the page shows already. */
  const look = (page: Page, name: string, path: string | null) =>
    lookAt(page, `desk-payments-${name}`, path === null ? null : `${server.url}${path}`);
});
