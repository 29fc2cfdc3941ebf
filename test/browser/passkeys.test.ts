import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { expect } from 'chai';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { invitePath, joinDesk, PASSWORD } from '../support/desk.ts';
import { createHarness, type Harness } from '../support/harness.ts';
import { listen, type Listening } from '../support/http.ts';
import { overflow, violationsOnEachScreen } from './axe.ts';
import { openBrowser, pictures, withPage } from './browser.ts';

/** Passkeys belong to an origin, which must be that of PUBLIC_URL: a port that is free now. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

describe('passkeys in a browser', () => {
  let harness: Harness;
  let server: Listening;
  let browser: Browser;
  let url: string;
  before(async () => {
    const port = await freePort();
    url = `http://localhost:${port}`;
    harness = await createHarness({ PUBLIC_URL: url });
    server = await listen(harness.app, port);
    browser = await openBrowser();
  });
  after(async () => {
    await server.close();
    await harness.close();
  });

  const home = () => `/dashboard/${harness.merchant.id}`;
  /** A browser of its own, with an authenticator whose owner is there, and is verified unless they fail. */
  const withAuthenticator = (
    use: (page: Page, own: { cdp: CDPSession; id: string }) => Promise<void>,
    refused?: RegExp,
  ) =>
    withPage(
      browser,
      { userAgent: 'Passkey browser', shop: url, ...(refused === undefined ? {} : { refused }) },
      async (page) => {
        const cdp = await page.context().newCDPSession(page);
        await cdp.send('WebAuthn.enable');
        const options = {
          protocol: 'ctap2',
          transport: 'internal',
          hasResidentKey: true,
          hasUserVerification: true,
          isUserVerified: true,
          automaticPresenceSimulation: true,
        } as const;
        const { authenticatorId: id } = await cdp.send('WebAuthn.addVirtualAuthenticator', { options });
        await use(page, { cdp, id });
      },
    );
  const pathOf = (page: Page) => new URL(page.url()).pathname;
  const signOut = async (page: Page) => {
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You are signed out.').waitFor();
  };
  const look = async (page: Page, name: string) => {
    for (const width of [360, 768, 1440]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await overflow(page), `${name} at ${width}`).to.equal(0);
      if (width !== 768) expect(await violationsOnEachScreen(page), `${name} at ${width}`).to.deep.equal([]);
      await pictures(page, (colorScheme) => `passkeys-${name}-${width}-${colorScheme}`);
    }
  };

  it('accept an invitation without a password, and sign in by a click and no word', async () => {
    await withAuthenticator(async (page, { cdp, id }) => {
      await page.goto(`${url}${await invitePath(harness, 'finger@shop.example')}`);
      await page.getByRole('button', { name: 'Accept with a passkey' }).click();
      await page.waitForURL(new RegExp(home()));
      const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId: id });
      expect(credentials).to.have.lengthOf(1);
      expect(credentials[0]).to.include({ rpId: 'localhost', isResidentCredential: true });
      await signOut(page);
      await page.getByRole('link', { name: 'Sign in with a passkey' }).click();
      await page.waitForURL(new RegExp(home()));
      expect(await page.title()).to.equal('[TEST] Home · Shop');
    });
  });

  it('are made, used as the second step, and removed at the account, by keyboard', async () => {
    const bob = await joinDesk(harness, 'bob@shop.example');
    await withAuthenticator(async (page) => {
      harness.advance(30);
      await page.goto(`${url}/dashboard/sign-in`);
      await page.getByLabel('E-mail').fill(bob.email);
      await page.getByLabel('Password').fill(PASSWORD);
      await page.keyboard.press('Enter');
      await page.getByLabel('Code').fill(bob.code());
      await page.keyboard.press('Enter');
      await page.waitForURL(new RegExp(home()));
      await page.goto(`${url}/dashboard/account`);
      await page.getByLabel('Name').fill('My laptop');
      await page.keyboard.press('Enter');
      await page.getByText('The passkey works from now on.').waitFor();
      await look(page, 'account');
      await signOut(page);
      await page.getByLabel('E-mail').fill(bob.email);
      await page.getByLabel('Password').fill(PASSWORD);
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Use a passkey' }).waitFor();
      await look(page, 'second-factor');
      await page.getByRole('button', { name: 'Use a passkey' }).focus();
      await page.keyboard.press('Enter');
      await page.waitForURL(new RegExp(home()));
      await page.goto(`${url}/dashboard/account`);
      await page.getByRole('button', { name: 'Remove the passkey My laptop' }).focus();
      await page.keyboard.press('Enter');
      await page.getByText('The passkey was removed.').waitFor();
      await page.getByText('You have no passkey').waitFor();
    });
  });

  it('say what to do when the owner is not verified, or has none here', async () => {
    await withAuthenticator(async (page, { cdp, id }) => {
      await cdp.send('WebAuthn.setUserVerified', { authenticatorId: id, isUserVerified: false });
      await page.goto(`${url}${await invitePath(harness, 'nobody@shop.example')}`);
      await look(page, 'invitation');
      await page.getByRole('button', { name: 'Accept with a passkey' }).click();
      await page.getByText('No passkey was used.').waitFor();
      await page.goto(`${url}/dashboard/passkey`);
      await page.getByText('No passkey was used.').waitFor();
      await look(page, 'sign-in');
      await page.getByRole('link', { name: 'Sign in in another way' }).click();
      expect(pathOf(page)).to.equal('/dashboard/sign-in');
    });
  });

  it('are the first second step in the place of an app', async () => {
    await withAuthenticator(async (page) => {
      await page.goto(`${url}${await invitePath(harness, 'first@shop.example')}`);
      await page.getByLabel('Choose a password').fill(PASSWORD);
      await page.getByRole('button', { name: 'Accept the invitation' }).click();
      await page.getByRole('button', { name: 'Use a passkey instead of an app' }).waitFor();
      await look(page, 'set-up');
      await page.getByRole('button', { name: 'Use a passkey instead of an app' }).click();
      await page.waitForURL(new RegExp(home()));
    });
  });

  it('are in nobody’s way without a script: the other ways are there', async () => {
    await withPage(browser, { javaScriptEnabled: false, shop: url }, async (page) => {
      await page.goto(`${url}${await invitePath(harness, 'plain@shop.example')}`);
      expect(await page.getByRole('button', { name: 'Accept with a passkey' }).isVisible()).to.equal(false);
      await page.getByLabel('Choose a password').fill(PASSWORD);
      await page.getByRole('button', { name: 'Accept the invitation' }).click();
      expect(pathOf(page)).to.equal('/dashboard/set-up');
      await page.goto(`${url}/dashboard/passkey`);
      expect(await page.getByText('Passkeys need a browser').isVisible()).to.equal(true);
      await page.getByRole('link', { name: 'Sign in in another way' }).click();
      expect(pathOf(page)).to.equal('/dashboard/sign-in');
    });
  });
});
