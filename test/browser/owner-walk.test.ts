import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { codeOf, invitePath, PASSWORD } from '../support/desk.ts';
import { createHarness, type Harness } from '../support/harness.ts';
import { listen, type Listening } from '../support/http.ts';
import { startReceiver, type Receiver } from '../support/receivers.ts';
import { openBrowser, withPage } from './browser.ts';
import { focused, tabTo } from './look.ts';

/** How an owner uses a page; names are those that a screen reader says. */
interface Hands {
  readonly options: { viewport: { width: number; height: number }; hasTouch?: true; isMobile?: true };
  press(page: Page, name: string): Promise<void>;
  write(page: Page, label: string, text: string): Promise<void>;
  /** The first letters of the choice. */
  choose(page: Page, label: string, choice: string): Promise<void>;
}

/** The button of a link's page. */
const SALE = 'Pay 12.50 USDC';

const target = (page: Page, name: string) =>
  page
    .getByRole('link', { name, exact: true })
    .or(page.getByRole('button', { name, exact: true }))
    .first();

const WAYS: Readonly<Record<string, Hands>> = {
  'by mouse': {
    options: { viewport: { width: 1440, height: 900 } },
    press: (page, name) => target(page, name).click(),
    write: (page, label, text) => page.getByLabel(label, { exact: true }).fill(text),
    async choose(page, label, choice) {
      const list = page.getByLabel(label, { exact: true });
      const text = await list.locator('option', { hasText: choice }).first().innerText();
      await list.selectOption(text);
    },
  },
  'by keyboard alone': {
    options: { viewport: { width: 1280, height: 800 } },
    async press(page, name) {
      await reach(page, name);
      await page.keyboard.press('Enter');
    },
    async write(page, label, text) {
      await reach(page, label);
      await page.keyboard.type(text);
    },
    async choose(page, label, choice) {
      await reach(page, label);
      await page.keyboard.type(choice);
    },
  },
  'on a phone': {
    options: { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true },
    press: (page, name) => target(page, name).tap(),
    async write(page, label, text) {
      await page.getByLabel(label, { exact: true }).tap();
      await page.keyboard.type(text);
    },
    async choose(page, label, choice) {
      const list = page.getByLabel(label, { exact: true });
      const text = await list.locator('option', { hasText: choice }).first().innerText();
      await list.selectOption(text);
    },
  },
};

/** Whoever has the keyboard alone must see where they are. */
async function reach(page: Page, name: string): Promise<void> {
  await target(page, name)
    .or(page.getByLabel(name, { exact: true }))
    .first()
    .waitFor();
  await tabTo(page, name);
  const outline = await page.evaluate<string>('getComputedStyle(document.activeElement).outlineStyle');
  expect(outline, `the focus of ${await focused(page)} is seen`).to.not.equal('none');
}

describe('the first day of a shop owner', () => {
  let harness: Harness;
  let server: Listening;
  let browser: Browser;
  let receiver: Receiver;
  before(async () => {
    harness = await createHarness();
    server = await listen(harness.app);
    receiver = await startReceiver();
    browser = await openBrowser();
  });
  after(async () => {
    await receiver.close();
    await server.close();
    await harness.close();
  });

  for (const [way, hands] of Object.entries(WAYS))
    it(`leads from an invitation to a sale and its refund, ${way}`, async () => {
      const { id: merchantId } = await harness.addMerchant({ name: 'Tea & Co' });
      await withPage(browser, { ...hands.options, userAgent: `Owner ${way}` }, async (page) => {
        const press = (name: string) => hands.press(page, name);
        const write = (label: string, text: string) => hands.write(page, label, text);
        const said = (text: string) => page.getByRole('status').filter({ hasText: text }).waitFor();
        const at = (path: RegExp) => page.waitForURL(path);

        await page.goto(
          `${server.url}${await invitePath(harness, `${way.replaceAll(' ', '-')}@shop.example`, { merchantId })}`,
        );
        await write('Choose a password', PASSWORD);
        await press('Accept the invitation');
        const secret = (await page.locator('main code').innerText()).replaceAll(' ', '');
        await write('Six digits', codeOf(harness, secret));
        await press('Set up');
        await press('I have kept them');
        await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();

        await press('Developers');
        await at(/\/developers$/);
        await press('Name an endpoint');
        await at(/\/endpoints$/);
        await press('Set it');
        await at(/\/default$/);
        await write('URL', receiver.url);
        await press('Save');
        await at(/said=saved/);

        await press('Links');
        await at(/\/links$/);
        await write('Title', 'A pot of tea');
        await write('Prices', '12.50');
        await press('Create the link');
        await page.getByRole('status').waitFor();
        const url = new URL(await page.locator('code.link').first().innerText());

        await page.goto(`${server.url}${url.pathname}`);
        await press(SALE);
        await at(/\/checkout\//);
        await press('Pay exactly 12.50 USDC');
        await page.getByText('We have seen your payment').first().waitFor();
        for (let block = 0; block < 14; block += 1) {
          await harness.work();
          harness.advance(12);
        }
        await harness.work();
        await page.getByText('Paid. Thank you!').first().waitFor();

        await page.goto(`${server.url}/dashboard/${merchantId}`);
        await press('Payments');
        await at(/\/payments$/);
        const { id } = await harness.ctx
          .db('payments')
          .where({ merchant_id: merchantId })
          .first<{ id: string }>('id');
        await press(id);
        await at(new RegExp(`/${id}$`));
        await press('Refund');
        await write('Amount', '4');
        await hands.choose(page, 'Where the money goes', 'Back');
        await write('Reason', 'It was cold');
        await press('Look at what would be sent');
        await page.getByRole('heading', { name: 'Refund: is this right?' }).waitFor();
        await page.getByText('4 USDC, Ethereum').waitFor();
        await press('Refund now');
        await said('The refund was accepted.');
        for (let block = 0; block < 14; block += 1) {
          await harness.work();
          harness.advance(12);
        }
        await harness.work();
        await page.reload();
        await page.getByText('checkout.refunded').first().waitFor();
        const told = receiver.requests.map(({ rawBody }) => rawBody.toString());
        expect(told.some((body) => body.includes(id) && body.includes('checkout.refunded'))).to.equal(true);

        await press('Audit log');
        await at(/\/audit$/);
        await page.getByText('refund accepted').first().waitFor();
      });
    });
});
