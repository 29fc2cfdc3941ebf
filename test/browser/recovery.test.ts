import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { codeOf, hiddenField, invitePath, openBrowser as openPlain, PASSWORD } from '../support/desk.ts';
import { createHarness, type Harness } from '../support/harness.ts';
import { listen, type Listening } from '../support/http.ts';
import { startMailServer, type MailServer } from '../support/mail-server.ts';
import { overflow, violationsOnEachScreen } from './axe.ts';
import { openBrowser, pictures, withPage } from './browser.ts';

const NEXT = 'four red boats on the lake';

describe('a forgotten password in a browser', () => {
  let harness: Harness;
  let mail: MailServer;
  let server: Listening;
  let browser: Browser;
  before(async () => {
    mail = await startMailServer();
    harness = await createHarness({ SMTP_URL: mail.url, MAIL_FROM: 'desk@service.example' });
    server = await listen(harness.app);
    browser = await openBrowser();
  });
  after(async () => {
    await server.close();
    await harness.close();
    await mail.close();
  });

  const look = async (page: Page, name: string) => {
    for (const width of [360, 768, 1440]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await overflow(page), `${name} at ${width}`).to.equal(0);
      if (width !== 768) expect(await violationsOnEachScreen(page), `${name} at ${width}`).to.deep.equal([]);
      await pictures(page, (colorScheme) => `recovery-${name}-${width}-${colorScheme}`);
    }
  };

  it('is replaced by a mailed link, by keyboard, and the code of the app is asked for', async () => {
    const invited = openPlain(harness);
    await invited.post(await invitePath(harness, 'ann@shop.example'), { password: PASSWORD });
    const secret = hiddenField((await invited.get('/dashboard/set-up')).text, 'secret');
    await invited.post('/dashboard/set-up', { secret, code: codeOf(harness, secret) });
    await withPage(browser, { javaScriptEnabled: false }, async (page) => {
      await page.goto(`${server.url}/dashboard/sign-in`);
      await page.getByRole('link', { name: 'Password forgotten?' }).focus();
      await page.keyboard.press('Enter');
      // The page before has the same field.
      await page.waitForURL(/\/forgotten$/);
      await page.getByLabel('E-mail').fill('ann@shop.example');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Look into your mailbox' }).waitFor();
      await harness.work();
      const text = mail.mails.at(-1)?.source.replaceAll('=\r\n', '') ?? '';
      const [path = ''] = /\/dashboard\/passwords\/[\w-]{32}/.exec(text) ?? [];
      await page.goto(`${server.url}${path}`);
      await page.getByLabel('Choose a password').fill(NEXT);
      await page.keyboard.press('Enter');
      await page.getByLabel('Code').waitFor();
      harness.advance(30);
      await page.getByLabel('Code').fill(codeOf(harness, secret));
      await page.keyboard.press('Enter');
      await page.waitForURL(new RegExp(harness.merchant.id));
    });
  });

  it('has pages without a fault that axe finds, which fit', async () => {
    await withPage(browser, { refused: /status of 40[04]/ }, async (page) => {
      await page.goto(`${server.url}/dashboard/forgotten`);
      await look(page, 'forgotten');
      await page.getByLabel('E-mail').fill('ann@shop.example');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Look into your mailbox' }).waitFor();
      await look(page, 'sent');
      await harness.work();
      const text = mail.mails.at(-1)?.source.replaceAll('=\r\n', '') ?? '';
      const [path = ''] = /\/dashboard\/passwords\/[\w-]{32}/.exec(text) ?? [];
      await page.goto(`${server.url}${path}`);
      await page.getByLabel('Choose a password').fill('too short');
      await page.getByRole('button', { name: 'Set the password' }).click();
      await look(page, 'password');
      await page.goto(`${server.url}/dashboard/passwords/${'x'.repeat(32)}`);
      await look(page, 'gone');
      await page.goto(`${server.url}/dashboard/sign-in`);
      await look(page, 'sign-in');
    });
  });
});
