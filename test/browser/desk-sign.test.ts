import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import type { RefundResource } from '../../src/domain/payments/refunds/schemas.ts';
import { joinDesk } from '../support/desk.ts';
import type { Harness } from '../support/harness.ts';
import type { Listening } from '../support/http.ts';
import { MerchantRefunds } from '../support/merchant-refunds.ts';
import { openRealNetwork } from '../support/real-network.ts';
import { openShop } from '../support/shop.ts';
import { overflow, violationsOnEachScreen } from './axe.ts';
import { pictures, withPage } from './browser.ts';
import { showPages } from './pages.ts';

const CUSTOMER = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';
const FROM = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const HASH = `0x${'ab'.repeat(32)}`;

/** A wallet that announces itself, and is on another chain until it is led to the right one. */
const WALLET = `
  const asked = (window.asked = []);
  let chain = '0x89';
  const provider = { request: async ({ method, params = [] }) => {
    asked.push([method, ...params]);
    if (method === 'eth_requestAccounts') return ['${FROM}'];
    if (method === 'eth_chainId') return chain;
    if (method === 'wallet_switchEthereumChain') return void (chain = params[0].chainId);
    if (method !== 'eth_sendTransaction') throw Object.assign(new Error(method), { code: 4200 });
    await window.waits;
    const code = window.refuses;
    if (code) throw Object.assign(new Error('no'), { code });
    return '${HASH}';
  } };
  const announce = () => dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: {
    info: { uuid: 'u-1', name: 'Fox <b>', icon: '' }, provider } }));
  addEventListener('eip6963:requestProvider', announce);`;

describe('signing a refund with the wallet of the browser', () => {
  let harness: Harness;
  let server: Listening;
  let browser: Browser;
  let refunds: MerchantRefunds;
  let merchant: { id: string; apiKey: string };
  const check = showPages((opened) => ({ harness, server, browser } = opened));
  before(async () => {
    const real = openRealNetwork(harness, await openShop(harness));
    const finish = async () => {
      await real.mine(12);
      for (let poll = 0; poll < 3; poll += 1) await real.sync();
    };
    const payIn = (id: string, amount: string) => real.pay(id, { amount });
    refunds = new MerchantRefunds(harness, real, { finish, payIn });
    merchant = await real.addMerchant();
  });

  const unsigned = async (): Promise<RefundResource> =>
    refunds.ask(merchant, await refunds.settled(merchant), { amount: '5', address: CUSTOMER });
  /** A page of somebody of the merchant, whose browser has the wallet. */
  const withPerson = async (email: string, paymentId: string, use: (page: Page) => Promise<void>) => {
    const person = await joinDesk(harness, email, { merchantId: merchant.id });
    await withPage(browser, { userAgent: `Browser of ${email}`, refused: /409/ }, async (page) => {
      const cookies = [...person.cookies].map(([name, value]) => ({ name, value, url: server.url }));
      await page.context().addCookies(cookies);
      await page.addInitScript(WALLET);
      await page.goto(`${server.url}/dashboard/${merchant.id}/payments/${paymentId}`);
      await use(page);
    });
  };
  const withRefund = async (email: string, use: (page: Page, refund: RefundResource) => Promise<void>) => {
    const refund = await unsigned();
    await withPerson(email, refund.payment_id, (page) => use(page, refund));
  };
  const askedOf = (page: Page) => page.evaluate<unknown[][]>('window.asked');
  const sign = (page: Page) => page.getByRole('button', { name: 'Sign with Fox <b>' });

  check(
    'sends what the refund says on its chain, and names the transaction, which is then awaited',
    async () => {
      await withRefund('sign@shop.example', async (page, refund) => {
        const sent = page.waitForURL(/said=announced/);
        await sign(page).click();
        await sent;
        await page.getByText('The transaction was noted.').waitFor();
        expect(await refunds.now(merchant, refund)).to.include({ status: 'SENT', tx_hash: HASH });
        await page.getByText(HASH).first().waitFor();
      });
    },
  );

  check(
    'asks for the right chain first, and sends nothing where the wallet refuses, which can be tried again',
    async () => {
      await withRefund('refuse@shop.example', async (page, refund) => {
        await page.evaluate('window.refuses = 4001');
        await sign(page).click();
        await page.getByText('You refused it in your wallet.').waitFor();
        const { to, data, value, chainId } = refund.request as Record<string, string>;
        expect(await askedOf(page)).to.deep.equal([
          ['eth_requestAccounts'],
          ['wallet_switchEthereumChain', { chainId }],
          ['eth_chainId'],
          ['eth_sendTransaction', { from: FROM, to, value, data }],
        ]);
        await page.reload();
        await sign(page).waitFor();
        expect(await refunds.stateOf(merchant, refund)).to.equal('AWAITING_SIGNATURE');
      });
    },
  );

  check('offers nothing a second time while it is not known whether a wallet has sent it', async () => {
    await withRefund('unsure@shop.example', async (page) => {
      await page.evaluate('window.refuses = 12345');
      await sign(page).click();
      await page.getByText('It is not known whether your wallet has sent it.').waitFor();
      expect(await sign(page).count()).to.equal(0);
      await page.reload();
      await page.getByText('A wallet was asked to pay this.').waitFor();
      expect(await sign(page).count()).to.equal(0);
      await page.getByRole('button', { name: 'It has sent nothing: ask again' }).click();
      await sign(page).waitFor();
    });
  });

  check('asks one wallet at a time, of all people and tabs, and says whose was asked', async () => {
    await withRefund('first@shop.example', async (page, refund) => {
      await withPerson('second@shop.example', refund.payment_id, async (other) => {
        await sign(other).waitFor();
        await page.evaluate('window.refuses = 12345');
        await sign(page).click();
        await page.getByText('It is not known whether your wallet has sent it.').waitFor();
        await sign(other).click();
        await other.getByText('or another wallet is asked').waitFor();
        expect((await askedOf(other)).map(([method]) => method)).to.not.include('eth_sendTransaction');
        await other.reload();
        await other.getByText('It was asked by first@shop.example').waitFor();
        expect(await sign(other).count()).to.equal(0);
        await other.getByText('only the person who asked it can say').waitFor();
        const again = { name: 'It has sent nothing: ask again' };
        expect(await other.getByRole('button', again).count()).to.equal(0);
        await page.getByRole('button', again).click();
        await other.reload();
        await sign(other).waitFor();
      });
    });
  });

  check('takes back no other wallet that was asked since, where its own sends nothing', async () => {
    await withRefund('slow@shop.example', async (page, refund) => {
      await withPerson('quick@shop.example', refund.payment_id, async (other) => {
        const wallet = `/refunds/${refund.id}/wallet`;
        await page.evaluate(
          'window.refuses = 4001; void (window.waits = new Promise((go) => (window.refuse = go)))',
        );
        const noted = page.waitForResponse((response) => response.url().endsWith(wallet));
        await sign(page).click();
        await noted;
        const tab = await page.context().newPage();
        await tab.goto(page.url());
        await tab.getByRole('button', { name: 'It has sent nothing: ask again' }).click();
        await tab.waitForURL(/said=released/);
        await other.reload();
        await sign(other).waitFor();
        // Checks of this file share the clock: this one moves it no further than it needs.
        harness.advance(1);
        await other.evaluate('void (window.waits = new Promise(() => undefined))');
        const askedAgain = other.waitForResponse((response) => response.url().endsWith(wallet));
        await sign(other).click();
        await askedAgain;
        await page.evaluate('window.refuse()');
        await page.getByText('You refused it in your wallet.').waitFor();
        await page.reload();
        await page.getByText('It was asked by quick@shop.example').waitFor();
      });
    });
  });

  check('sends nothing that somebody has paid since the page was opened', async () => {
    await withRefund('stale@shop.example', async (page, refund) => {
      await sign(page).waitFor();
      await refunds.announce(merchant, refund, HASH);
      await sign(page).click();
      await page.getByText('This refund is not as it was when the page was opened').waitFor();
      expect((await askedOf(page)).map(([method]) => method)).to.not.include('eth_sendTransaction');
    });
  });

  check('can be done by hand, and has no fault that axe finds', async () => {
    await withRefund('hand@shop.example', async (page, refund) => {
      await page.getByText('What to send, field by field').click();
      for (const width of [360, 1440]) {
        await page.setViewportSize({ width, height: 800 });
        expect(await overflow(page), `${width}`).to.equal(0);
        expect(await violationsOnEachScreen(page), `${width}`).to.deep.equal([]);
        await pictures(page, (colorScheme) => `desk-payments-sign-${width}-${colorScheme}`);
      }
      await page.getByLabel('Transaction with which you paid it').fill(HASH);
      await page.getByRole('button', { name: 'Note this transaction' }).click();
      await page.getByText('The transaction was noted.').waitFor();
      expect(await refunds.stateOf(merchant, refund)).to.equal('SENT');
    });
  });
});
