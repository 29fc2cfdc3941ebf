import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { firstAddresses } from '../../src/domain/wallets/first-addresses.ts';
import { joinDesk, type DeskPerson } from '../support/desk.ts';
import type { Harness } from '../support/harness.ts';
import type { Listening } from '../support/http.ts';
import { buyByLink, createLink } from '../support/links.ts';
import { accountKey, addWallet, useWallet } from '../support/wallets.ts';
import { withPage } from './browser.ts';
import { focused, lookAt, tabTo } from './look.ts';
import { fitsSmallAndLarge, SMALL_AND_LARGE } from './fits.ts';
import { showPages } from './pages.ts';

describe('the settings and the links of the desk in a browser', () => {
  let harness: Harness;
  let server: Listening;
  let browser: Browser;
  const check = showPages((opened) => ({ harness, server, browser } = opened));

  /** A page of somebody who is signed in; the cookies of the context are theirs alone. */
  const withPerson = async (
    { cookies }: DeskPerson,
    options: { width?: 360 | 1280; javaScriptEnabled?: boolean; refused?: RegExp },
    use: (page: Page) => Promise<void>,
  ) =>
    withPage(browser, { userAgent: 'Walking browser', ...options }, async (page) => {
      const { hostname } = new URL(server.url);
      const kept = [...cookies].map(([name, value]) => ({ name, value, domain: hostname, path: '/' }));
      await page.context().addCookies(kept);
      await use(page);
    });
  const newShop = async (name: string, mode: 'test' | 'live' = 'test') => {
    const shop = await harness.addMerchant({ name, mode });
    const owner = await joinDesk(harness, `${shop.id.toLowerCase()}@shop.example`, { merchantId: shop.id });
    return { ...shop, owner, path: `${server.url}/dashboard/${shop.id}` };
  };
  const frameOf = (page: Page, scheme: string) => page.frameLocator(`iframe[data-scheme=${scheme}]`);

  check('shows the page of a payment as it would be while somebody types, in both schemes', async () => {
    const { owner, path } = await newShop('Tea');
    await withPerson(owner, { width: 1280 }, async (page) => {
      await page.goto(`${path}/settings/appearance`);
      await frameOf(page, 'dark').getByText('Tea', { exact: true }).waitFor();
      await page.getByLabel('Colour').fill('#aa3300');
      // Last: the frames that show it load nothing again.
      await page.getByLabel('Name').fill('Tea <i>house</i>');
      for (const scheme of ['light', 'dark'])
        await frameOf(page, scheme).getByText('Tea <i>house</i>', { exact: true }).waitFor();
      const background = (scheme: string) =>
        frameOf(page, scheme).locator('body').evaluate('getComputedStyle(document.body).backgroundColor');
      expect([await background('light'), await background('dark')]).to.deep.equal([
        'rgb(241, 243, 247)',
        'rgb(13, 16, 21)',
      ]);
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('status').waitFor();
      expect(await page.getByLabel('Name').inputValue()).to.equal('Tea <i>house</i>');
    });
  });

  check('shows it by a button where no script runs, and nothing of it is saved', async () => {
    const { owner, path, apiKey } = await newShop('Plain');
    await withPerson(owner, { width: 360, javaScriptEnabled: false }, async (page) => {
      await page.goto(`${path}/settings/appearance`);
      await page.getByLabel('Name').fill('Plain & simple');
      await page.getByRole('button', { name: 'Preview' }).click();
      await page.waitForURL(/name=Plain/);
      await frameOf(page, 'light').getByText('Plain & simple', { exact: true }).waitFor();
      const { body } = await harness.api('get', '/v1/checkout/appearance', apiKey);
      expect((body as { updated_at: string | null }).updated_at).to.equal(null);
    });
  });

  check('shows a mail as customers get it while somebody writes it, and saves it', async () => {
    const { owner, path } = await newShop('Mails');
    await withPerson(owner, { width: 1280 }, async (page) => {
      await page.goto(`${path}/settings/mails`);
      await page.getByRole('link', { name: 'Show Receipt' }).click();
      await page.getByRole('link', { name: 'Français' }).click();
      await page.getByLabel('Subject').fill('Merci pour {order}');
      await page.getByLabel('Text').fill('Votre <i>thé</i> part demain.');
      for (const scheme of ['light', 'dark']) {
        await frameOf(page, scheme).getByText('[TEST] Merci pour ORDER-1001').waitFor();
        await frameOf(page, scheme).getByText('Votre <i>thé</i> part demain.').waitFor();
      }
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('status').waitFor();
      expect(await page.getByLabel('Subject').inputValue()).to.equal('Merci pour {order}');
      await page.getByRole('button', { name: 'Back to the standard text' }).click();
      await frameOf(page, 'dark').getByText('[TEST] Reçu de Mails').waitFor();
    });
  });

  check('shows a mail by a button where no script runs, and says what is wrong with it', async () => {
    const { owner, path } = await newShop('Plain mails');
    await withPerson(
      owner,
      { width: 360, javaScriptEnabled: false, refused: /status of 400/ },
      async (page) => {
        await page.goto(`${path}/settings/mails/paid/en`);
        await page.getByLabel('Text').fill('Dear {customer}');
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByText('text has {customer}, which is no placeholder').waitFor();
        await page.getByLabel('Text').fill('Dear customer');
        await page.getByRole('button', { name: 'Preview' }).click();
        await page.waitForURL(/text=Dear/);
        await frameOf(page, 'light').getByText('Dear customer').waitFor();
        expect(await harness.ctx.db('mail_texts').where({ text: 'Dear customer' }).select()).to.deep.equal(
          [],
        );
      },
    );
  });

  check('adds a wallet by keyboard alone, which is used once an address of it was typed', async () => {
    const { owner, path, id } = await newShop('Keys', 'live');
    await withPerson(owner, { width: 1280 }, async (page) => {
      await page.goto(`${path}/settings`);
      await tabTo(page, 'Wallets Where the money of your customers goes.');
      await page.keyboard.press('Enter');
      await page.waitForURL(/wallets$/);
      await tabTo(page, 'Account key, descriptor or address');
      await page.keyboard.type(accountKey(90));
      await page.keyboard.press('Tab');
      expect(await focused(page)).to.equal('Show its addresses');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'The first five addresses' }).waitFor();
      const wallet = await harness.ctx.db('wallets').where({ merchant_id: id }).first();
      await tabTo(page, 'Address');
      await page.keyboard.type(firstAddresses(harness.ctx, wallet)[3]?.address ?? '');
      await page.keyboard.press('Enter');
      await page.getByRole('status').waitFor();
      await page.getByText('In use').waitFor();
    });
  });

  check('creates a link on a phone by touch, whose page sells, and pauses it', async () => {
    const { owner, path } = await newShop('Phone');
    await withPerson(owner, { width: 360 }, async (page) => {
      await page.goto(path);
      await page.getByRole('link', { name: 'Links' }).click();
      await page.getByLabel('Title').fill('A pot of tea');
      await page.getByLabel('Prices').fill('Small = 4.50\nLarge = 6');
      await page.getByLabel('How many there are').fill('3');
      await page.getByRole('button', { name: 'Create the link' }).click();
      await page.getByRole('status').waitFor();
      const url = await page.locator('code.link').first().innerText();
      const shown = await harness.api('get', new URL(url).pathname, null);
      expect(shown.text).to.include('Small: 4.50').and.include('Large: 6');
      await page.getByLabel('It sells').uncheck();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Paused').waitFor();
      expect((await harness.api('get', new URL(url).pathname, null)).text).to.include('has paused this link');
    });
  });

  check('switches a method off by touch of its whole cell, and says what a policy means', async () => {
    const { owner, path, apiKey } = await newShop('Methods');
    await withPerson(owner, { width: 360 }, async (page) => {
      await page.goto(`${path}/settings/methods`);
      await page.locator('.check', { has: page.getByLabel('TRX on Tron') }).click();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('status').waitFor();
      const { body } = await harness.api('get', '/v1/checkout/appearance', apiKey);
      const { methods } = body as { methods: { coin: string }[] };
      expect(methods.some(({ coin }) => coin === 'TRX')).to.equal(false);
      await page.getByRole('link', { name: 'Policies' }).click();
      await page.getByLabel('Accept a little less').check();
      await page.getByLabel('Tolerance in percent').fill('3');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('97.00 USDC pay for 100.00 USDC').waitFor();
    });
  });

  check('makes a link that asks, and changes its prices, without a script', async () => {
    const { owner, path } = await newShop('Asks');
    const options = { width: 360, javaScriptEnabled: false, refused: /status of 400/ } as const;
    await withPerson(owner, options, async (page) => {
      await page.goto(`${path}/links`);
      await page.getByLabel('Title').fill('Shirt');
      await page.getByLabel('Prices').fill('Small = 20\nLarge = 22');
      await page.getByText('What the page asks').click();
      const first = page.getByRole('group', { name: 'Question 1' });
      await first.getByLabel('Question', { exact: true }).fill('Which size?');
      await page.getByRole('button', { name: 'Create the link' }).click();
      await page.getByText('fields.0.key must').waitFor();
      await first.getByLabel('Key').fill('size');
      await page.getByRole('button', { name: 'Create the link' }).click();
      await page.getByText('Which size? (size, at most 200 characters)').waitFor();
      await page.getByLabel('Large: 22').uncheck();
      await page.getByLabel(/^Prices in/).fill('Small = 21\nLarge = 23');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved.').waitFor();
      expect(await page.getByLabel('Small: 21').isChecked()).to.equal(true);
      expect(await page.getByLabel('Large: 23').isChecked()).to.equal(false);
    });
  });

  check(`has no fault that axe finds, on light and dark screens, and fits ${SMALL_AND_LARGE}`, async () => {
    const shop = await newShop('A shop with a long name, and sons', 'live');
    await useWallet(harness.ctx, shop.id);
    const wallet = await addWallet(harness.ctx, shop.id);
    const link = await createLink(
      harness,
      {
        title: 'A shirt with a very long name of its own, printed by hand',
        description: 'Sent within a week.',
        prices: [
          { name: 'Small', amount: '20.00' },
          { name: 'Extra large', amount: '22.50' },
        ],
        price_currency: 'EUR',
        stock: 10,
        max_uses: 8,
        fields: [
          {
            key: 'note',
            label: 'A word to us, which is printed on the inside of the collar',
            required: false,
          },
        ],
        success_url: `https://shop.example/${'thanks/'.repeat(20)}`,
        thank_you: 'It is on its way.',
      },
      harness.merchant.apiKey,
    );
    await buyByLink(harness, link);
    const owner = await joinDesk(harness, 'looks@shop.example');
    const own = `${server.url}/dashboard/${harness.merchant.id}`;
    await withPerson(owner, { refused: /status of 400/ }, async (page) => {
      for (const [name, at] of [
        ['settings', `${own}/settings`],
        ['methods', `${own}/settings/methods`],
        ['policy', `${own}/settings/policy?said=saved`],
        ['appearance', `${own}/settings/appearance`],
        ['appearance-fault', `${own}/settings/appearance?name=Shop&accent_color=red`],
        ['mails', `${own}/settings/mails`],
        ['mail', `${own}/settings/mails/tooLittle/en?said=saved`],
        ['mail-arabic', `${own}/settings/mails/incomplete/ar`],
        ['test-wallets', `${own}/settings/wallets`],
        ['links', `${own}/links`],
        ['link', `${own}/links/${link.id}?said=created`],
      ] as const)
        await look(page, name, at);
      await page.goto(`${own}/links`);
      await page.getByLabel('Title').fill('Shirt');
      await page.getByText('What the page asks').click();
      await page.getByLabel('Key').first().fill('Size');
      await page.getByRole('button', { name: 'Create the link' }).click();
      await page.getByRole('alert').waitFor();
      await look(page, 'links-fault', null);
    });
    await withPerson(shop.owner, { refused: /status of 400/ }, async (page) => {
      await page.goto(`${shop.path}/settings/mails/given/de`);
      await page.getByLabel('Subject').fill(`Zahlungsbestätigungsbenachrichtigung{order}{amount}`);
      await page.getByLabel('Text').fill('Donaudampfschifffahrtsgesellschaftskapitän '.repeat(5));
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('which is no placeholder').waitFor();
      await look(page, 'mail-fault', null);
      await look(page, 'wallets', `${shop.path}/settings/wallets`);
      await look(page, 'wallet', `${shop.path}/settings/wallets/${wallet.id}`);
      await page.getByRole('textbox', { name: 'Address' }).fill('0x0000000000000000000000000000000000000001');
      await page.getByRole('button', { name: 'It is mine' }).click();
      await look(page, 'wallet-fault', null);
      const address = firstAddresses(harness.ctx, wallet)[0]?.address ?? '';
      await page.getByRole('textbox', { name: 'Address' }).fill(address);
      await page.getByRole('button', { name: 'It is mine' }).click();
      await page.getByText('It waits, and takes money from').waitFor();
      await look(page, 'wallet-waits', null);
      await look(page, 'no-links', `${shop.path}/links`);
      await page.goto(`${shop.path}/settings/wallets`);
      await page.getByLabel('Account key').fill(`test ${'junk '.repeat(11)}`);
      await page.getByRole('button', { name: 'Show its addresses' }).click();
      await look(page, 'wallets-secret', null);
      await page.goto(`${shop.path}/settings/mails/paid/ja`);
      await page.getByLabel('Text').fill('ありがとうございます。\n\n{merchant}');
      await page.getByRole('button', { name: 'Save' }).click();
      await look(page, 'mail-own', null);
      const longAgo = { factor_at: new Date(harness.ctx.now().getTime() - 601_000) };
      await harness.ctx.db('person_sessions').where({ person_id: shop.owner.id }).update(longAgo);
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('confirm that it is you first').waitFor();
      await look(page, 'mail-confirm', null);
    });
  });

  /** Null: what the page shows already. */
  const look = async (page: Page, name: string, url: string | null) => {
    await lookAt(page, `desk-${name}`, url);
    if (url === null) await fitsSmallAndLarge(page, name);
    await page.evaluate(`document.documentElement.style.fontSize = ''`);
  };
});
