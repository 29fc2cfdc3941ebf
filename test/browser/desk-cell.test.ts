import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { codeOf, invitePath, PASSWORD } from '../support/desk.ts';
import type { Harness } from '../support/harness.ts';
import { createPayment, type Listening } from '../support/http.ts';
import { PIN } from '../support/tills.ts';
import { withPage } from './browser.ts';
import { lookAt } from './look.ts';
import { showPages } from './pages.ts';

const TABS = [
  'Payments',
  'Links',
  'Tills',
  'Exports',
  'Developers',
  'Settings',
  'People',
  'Audit log',
  'Home',
];

describe('the desk of a cell in a browser', () => {
  let harness: Harness;
  let server: Listening;
  let browser: Browser;
  const check = showPages((opened) => ({ harness, server, browser } = opened), { CELL: 'b7' });

  const home = () => `/dashboard/b7/${harness.merchant.id}`;
  const withVisitor = (agent: string, use: (page: Page) => Promise<void>) =>
    withPage(browser, { userAgent: agent }, use);
  const pathOf = (page: Page) => new URL(page.url()).pathname;
  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

  /** Accepts an invitation, and sets up an app; returns its secret. */
  const join = async (page: Page, email: string): Promise<string> => {
    await page.goto(`${server.url}${await invitePath(harness, email)}`);
    await page.getByLabel('Choose a password').fill(PASSWORD);
    await press(page, 'Accept the invitation');
    const secret = (await page.locator('main code').innerText()).replaceAll(' ', '');
    await page.getByLabel('Six digits').fill(codeOf(harness, secret));
    await press(page, 'Set up');
    await page.getByRole('link', { name: 'I have kept them' }).click();
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    return secret;
  };

  check('is walked by clicks from an invitation through every tab, out and in again', async () => {
    const { id } = await createPayment(harness);
    await withVisitor('Walking browser', async (page) => {
      const secret = await join(page, 'walk@shop.example');
      expect(pathOf(page)).to.equal(home());
      for (const tab of TABS) {
        await page.getByRole('navigation').getByRole('link', { name: tab, exact: true }).click();
        await page
          .getByRole('link', { name: tab, exact: true, includeHidden: false })
          .and(page.locator('[aria-current]'))
          .waitFor();
        expect(pathOf(page), tab).to.satisfy(
          (path: string) => path === home() || path.startsWith(`${home()}/`),
        );
      }
      await lookAt(page, 'desk-cell-home', null);
      await page.goto(`${server.url}/dashboard/${harness.merchant.id}/payments/${id}`);
      expect(pathOf(page)).to.equal(`${home()}/payments/${id}`);
      await page.goto(`${server.url}${home()}/settings/appearance`);
      const preview = page.locator('iframe').first().contentFrame().locator('html');
      await preview.locator('h1').waitFor();
      expect(await preview.evaluate('location.pathname')).to.equal(`${home()}/settings/appearance/preview`);
      await press(page, 'Sign out');
      await page.waitForURL(({ pathname }) => pathname === '/dashboard/b7/sign-in');
      await page.goto(`${server.url}/dashboard/account`);
      expect(pathOf(page)).to.equal('/dashboard/b7/sign-in');
      await page.getByLabel('E-mail').fill('walk@shop.example');
      await page.getByLabel('Password').fill(PASSWORD);
      await press(page, 'Sign in');
      harness.advance(30);
      await page.getByLabel('Code').fill(codeOf(harness, secret));
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/dashboard\/b7\/account$/);
    });
  });

  check('makes a till whose device is paired by the link of the page, and sells', async () => {
    await withVisitor('Owner', async (page) => {
      await join(page, 'till@shop.example');
      await page.goto(`${server.url}${home()}/tills`);
      await page.getByLabel('Name').fill('Counter');
      await page.getByLabel('PIN').fill(PIN);
      await press(page, 'Make the till');
      await page.getByLabel('Name of the device').fill('Tablet');
      await press(page, 'Make a link');
      const link = new URL(await page.locator('main code').innerText());
      expect(link.pathname).to.match(/^\/till\/pair\/b7\.[\w-]{32}$/);
      await withVisitor('Counter', async (counter) => {
        await counter.goto(`${server.url}${link.pathname}`);
        await press(counter, 'Make it the till');
        await counter.getByLabel('PIN of this till').fill(PIN);
        await press(counter, 'Open');
        await counter.getByLabel(/^Amount/).waitFor();
        for (const key of '12') await counter.locator(`[data-key="${key}"]`).click();
        await press(counter, 'Show the code');
        await counter.locator('.till-code img:visible').waitFor();
        const { pathname } = new URL(
          await counter.evaluate<string>(`document.querySelector('a[href^="/checkout"]').href`),
        );
        expect(pathname).to.match(/^\/checkout\/b7\.[\w-]{32}$/);
        await counter.goto(`${server.url}${pathname}`);
        await counter.locator('#pay').waitFor();
      });
    });
  });
});
