import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { codeOf, invitePath, joinDesk, PASSWORD } from '../support/desk.ts';
import type { Harness } from '../support/harness.ts';
import { createPayment, type Listening } from '../support/http.ts';
import { makeTill, pairingOf } from '../support/tills.ts';
import { withPage } from './browser.ts';
import { focused, lookAt, tabTo } from './look.ts';
import { SMALL_AND_LARGE } from './fits.ts';
import { showPages } from './pages.ts';

describe('the desk in a browser', () => {
  let harness: Harness;
  let server: Listening;
  let browser: Browser;
  const check = showPages((opened) => ({ harness, server, browser } = opened));

  const home = () => `/dashboard/${harness.merchant.id}`;
  /** A browser of its own: its cookies are nobody else's. */
  const withVisitor = (use: (page: Page) => Promise<void>, refused?: RegExp) =>
    withPage(browser, { userAgent: 'Walking browser', ...(refused === undefined ? {} : { refused }) }, use);
  const pathOf = (page: Page) => new URL(page.url()).pathname;
  const secretOf = async (page: Page) => (await page.locator('main code').innerText()).replaceAll(' ', '');

  /** Accepts an invitation, and sets up an app. */
  const join = async (page: Page, email: string) => {
    await page.goto(`${server.url}${await invitePath(harness, email)}`);
    await page.getByLabel('Choose a password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Accept the invitation' }).click();
    const secret = await secretOf(page);
    await page.getByLabel('Six digits').fill(codeOf(harness, secret));
    await page.getByRole('button', { name: 'Set up' }).click();
    await page.getByRole('link', { name: 'I have kept them' }).click();
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    return secret;
  };

  check('leads from an invitation to the home page, with the password and the codes of an app', async () => {
    await withVisitor(async (page) => {
      await join(page, 'mouse@shop.example');
      expect(pathOf(page)).to.equal(home());
      expect(await page.title()).to.equal('[TEST] Home · Shop');
      await page.getByRole('button', { name: 'Sign out' }).click();
      expect(await page.getByRole('status').innerText()).to.equal('You are signed out.');
    });
  });

  check('is walked by keyboard alone: invite somebody, give them a role, remove them', async () => {
    await withVisitor(async (page) => {
      await join(page, 'keys@shop.example');
      await page.keyboard.press('Tab');
      expect(await focused(page)).to.equal('Skip to the content');
      await tabTo(page, 'People');
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/people$/);
      await tabTo(page, 'E-mail');
      await page.keyboard.type('guest@shop.example');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Invitation made' }).waitFor();
      const { pathname: path } = new URL(await page.locator('code.link').innerText());
      await withVisitor(async (guest) => {
        await guest.goto(`${server.url}${path}`);
        await guest.getByLabel('Choose a password').fill(PASSWORD);
        await guest.keyboard.press('Enter');
        await guest.getByRole('heading', { name: 'Set up your second step' }).waitFor();
      });
      await tabTo(page, 'Back to people');
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/people$/);
      await tabTo(page, 'Remove guest@shop.example');
      await page.keyboard.press('Enter');
      await page.waitForURL(/said=removed/);
      expect(await page.getByRole('status').innerText()).to.equal('The person was removed.');
    });
  });

  check('switches between shops, of which test and live look different', async () => {
    const live = await harness.addMerchant({ name: 'Live shop', mode: 'live' });
    await withVisitor(async (page) => {
      await join(page, 'two@shop.example');
      const path = await invitePath(harness, 'two@shop.example', { merchantId: live.id });
      await page.goto(`${server.url}${path}`);
      await page.getByLabel('Your password').fill(PASSWORD);
      await page.getByRole('button', { name: 'Accept the invitation' }).click();
      harness.advance(30);
      await page.getByLabel('Code').waitFor();
      const person = await harness.ctx
        .db('people')
        .where({ email: 'two@shop.example' })
        .first<{ id: string }>('id');
      await harness.ctx
        .db('person_sessions')
        .where({ person_id: person?.id })
        .update({ factor_at: harness.ctx.now() });
      await page.goto(`${server.url}/dashboard`);
      await page.getByRole('link', { name: 'Live shop' }).click();
      await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
      expect(await page.title()).to.equal('Home · Live shop');
      expect(await page.getByText('A test shop').count()).to.equal(0);
      const bar = () =>
        page.evaluate<string>(`getComputedStyle(document.querySelector('.bar')).borderTopStyle`);
      expect(await bar()).to.equal('solid');
      await page.locator('details.shop summary').click();
      await page.getByRole('link', { name: 'Shop TEST' }).click();
      await page.getByText('A test shop').waitFor();
      expect(await bar()).to.equal('dashed');
    });
  });

  check(
    'has its pages in one line on a phone, without a script, which begins at the current one',
    async () => {
      const { cookies } = await joinDesk(harness, 'phone@shop.example');
      const viewport = { width: 360, height: 740 };
      await withPage(browser, { userAgent: 'Phone', viewport, javaScriptEnabled: false }, async (page) => {
        await page
          .context()
          .addCookies([...cookies].map(([name, value]) => ({ name, value, url: server.url })));
        for (const [path, current] of [
          [`${home()}/audit`, 'Audit log'],
          [`${home()}/developers/requests`, 'Requests'],
          [`${home()}/settings/mails`, 'Mail texts'],
        ] as const) {
          await page.goto(`${server.url}${path}`);
          for (const nav of await page.locator('nav.tabs, nav.sections').all()) {
            const places = await Promise.all(
              (await nav.getByRole('link').all()).map((one) => one.boundingBox()),
            );
            expect(new Set(places.map((box) => box?.y)).size, path).to.equal(1);
          }
          await inView(page, current);
        }
        await tabTo(page, 'Home');
        await inView(page, 'Home');
      });
    },
  );

  check(`has no fault that axe finds, on light and dark screens, and fits ${SMALL_AND_LARGE}`, async () => {
    const bob = await joinDesk(harness, 'a-very-long-name-of-a-person@subsidiary.shop.example', {
      role: 'support',
    });
    const path = await invitePath(harness, 'invited@shop.example');
    const payment = await createPayment(harness, { metadata: { sku: 'a-very-long-name-of-a-thing' } });
    const till = await makeTill(harness, { name: 'Counter with a rather long name, by the door' });
    await pairingOf(harness, till, 'a-very-long-name-of-a-device-at-the-counter');
    await withVisitor(async (page) => {
      for (const [name, at] of [
        ['sign-in', '/dashboard/sign-in?said=ended'],
        ['invitation', path],
        ['gone', `/dashboard/invitations/${'x'.repeat(32)}`],
      ] as const)
        await look(page, name, at);
      await page.goto(`${server.url}${await invitePath(harness, 'looks@shop.example')}`);
      await page.getByLabel('Choose a password').fill(PASSWORD);
      await page.getByRole('button', { name: 'Accept the invitation' }).click();
      await look(page, 'set-up', '/dashboard/set-up');
      const secret = await secretOf(page);
      await page.getByLabel('Six digits').fill('000000');
      await page.getByRole('button', { name: 'Set up' }).click();
      await look(page, 'set-up-fault', null);
      await page.getByLabel('Six digits').fill(codeOf(harness, secret));
      await page.getByRole('button', { name: 'Set up' }).click();
      await look(page, 'recovery-codes', null);
      for (const [name, at] of [
        ['home', home()],
        ['payments', `${home()}/payments`],
        ['payment', `${home()}/payments/${payment.id}`],
        ['exports', `${home()}/exports`],
        [
          'export-of-list',
          `${home()}/exports?status=WAITING&status=SETTLED&order_id=${'a-long-order-'.repeat(9)}`,
        ],
        ['tills', `${home()}/tills`],
        ['till', `${home()}/tills/${till.id}`],
        ['people', `${home()}/people`],
        ['audit', `${home()}/audit`],
        ['account', '/dashboard/account'],
        ['second-factor', '/dashboard/second-factor'],
        ['missing', '/dashboard/mer_x'],
        ['missing-payment', `${home()}/payments/pay_x`],
      ] as const)
        await look(page, name, at);
      await page.goto(`${server.url}${home()}/people`);
      await page.getByRole('button', { name: `Save the role of ${bob.email}` }).click();
      await look(page, 'people-said', null);
    }, /status of 40[04]/);
  });

  /** Within a phone's width, whole. */
  const inView = async (page: Page, name: string) => {
    const box = await page.locator('nav').getByRole('link', { name, exact: true }).boundingBox();
    expect(box?.x, name).to.be.at.least(0);
    expect((box?.x ?? 0) + (box?.width ?? 999), name).to.be.at.most(360);
  };
  /** Null: what the page shows already. */
  const look = (page: Page, name: string, path: string | null) =>
    lookAt(page, `desk-${name}`, path === null ? null : `${server.url}${path}`);
});
