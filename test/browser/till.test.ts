import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import type { Till } from '../../src/domain/tills/till.ts';
import type { Harness } from '../support/harness.ts';
import type { Listening } from '../support/http.ts';
import { openShop, type Shop } from '../support/shop.ts';
import { makeTill, pairingOf, paymentsOf, PIN } from '../support/tills.ts';
import { overflow, violationsOnEachScreen, violationsWithoutScript } from './axe.ts';
import { pictures, withPage } from './browser.ts';
import { fitsSmallAndLarge, SMALL_AND_LARGE } from './fits.ts';
import { showPages } from './pages.ts';

/** Of a phone, a tablet and a desktop; axe looks at the first and the last. */
const WIDTHS = [360, 768, 1440] as const;

/** Counts the notes that a page plays. */
const LISTEN = `(() => {
  window.notes = 0;
  const { start } = OscillatorNode.prototype;
  OscillatorNode.prototype.start = function (...at) {
    window.notes += 1;
    return start.apply(this, at);
  };
})()`;

describe('a till in a browser', () => {
  let harness: Harness;
  let server: Listening;
  let browser: Browser;
  let shop: Shop;
  const check = showPages((opened) => ({ harness, server, browser } = opened));
  before(async () => {
    shop = await openShop(harness);
  });

  /** A browser of its own: its cookie is nobody else's. */
  const atTill = (
    options: { refused?: RegExp; javaScriptEnabled?: boolean; till?: Till },
    use: (page: Page, till: Till) => Promise<void>,
  ) => {
    const { till: given, ...more } = options;
    return withPage(browser, { userAgent: 'Counter', ...more }, async (page) => {
      const till = given ?? (await makeTill(harness));
      await page.addInitScript(LISTEN);
      await page.goto(`${server.url}${await pairingOf(harness, till)}`);
      await page.getByRole('button', { name: 'Make it the till' }).click();
      await page.getByLabel('PIN of this till').fill(PIN);
      await page.getByRole('button', { name: 'Open' }).click();
      await page.getByLabel('Amount in EUR').waitFor();
      await use(page, till);
    });
  };
  const pay = async (till: Till, place = 0) => {
    const id = (await paymentsOf(harness, till))[place] ?? '';
    await shop.pay(id);
    await shop.mine(64);
  };
  const type = async (page: Page, keys: string) => {
    for (const key of keys) await page.locator(`[data-key="${key}"]`).click();
  };
  const notes = (page: Page) => page.evaluate<number>('window.notes');
  const heading = (page: Page) => page.getByRole('heading', { level: 1 }).innerText();

  check('sells by its keypad: the code, the tick and the sound, and the next sale', async () => {
    await atTill({}, async (page, till) => {
      await type(page, '12.55');
      await page.getByRole('button', { name: 'Erase the last digit' }).click();
      await type(page, '0');
      await page.getByRole('button', { name: 'Show the code' }).click();
      await page.locator('.till-code img:visible').waitFor();
      expect(await heading(page)).to.equal('Sale 1: 12.50 EUR');
      expect(new URL(page.url()).pathname).to.equal('/till/sales/1');
      await pay(till);
      await page.locator('.tick').waitFor();
      expect(await page.locator('.now').innerText()).to.equal('Paid');
      expect(await notes(page)).to.equal(2);
      await page.getByRole('link', { name: 'Next sale' }).click();
      await page.getByLabel('Amount in EUR').waitFor();
      expect(await page.getByLabel('Amount in EUR').inputValue()).to.equal('');
      expect(await page.locator('#sales').innerText())
        .to.contain('12.50 EUR')
        .and.contain('Paid');
      expect(await notes(page)).to.equal(2);
    });
  });

  check(
    'sells by keyboard alone, and sounds for a sale that is paid while the next one is typed',
    async () => {
      await atTill({}, async (page, till) => {
        await page.keyboard.type('3');
        await page.keyboard.press('Enter');
        await page.getByRole('link', { name: 'Next sale' }).waitFor();
        await page.getByRole('link', { name: 'Next sale' }).press('Enter');
        await page.getByLabel('Amount in EUR').waitFor();
        await page.keyboard.type('4,2');
        await pay(till);
        await page.locator('#sales .state.paid').waitFor();
        expect(await page.getByLabel('Amount in EUR').inputValue()).to.equal('4,2');
        expect(await notes(page)).to.equal(2);
        await page.keyboard.press('Enter');
        await page.waitForURL(/\/till\/sales\/2$/);
        expect(await heading(page)).to.equal('Sale 2: 4.20 EUR');
      });
    },
  );

  check(
    'says what it does not know while the line is down, and makes a sale once when it is back',
    async () => {
      await atTill({ refused: /Failed to load|ERR_INTERNET/ }, async (page, till) => {
        await type(page, '5');
        await page.getByRole('button', { name: 'Show the code' }).click();
        await page.locator('.till-code img:visible').waitFor();
        await page.context().setOffline(true);
        await page.getByText(/The line is down. What is shown is from/).waitFor();
        await pay(till);
        expect(await page.locator('.tick').count()).to.equal(0);
        expect(await page.locator('.till-code img:visible').count()).to.equal(1);
        await pictures(page, (scheme) => `till-down-360-${scheme}`);
        await page.getByRole('button', { name: 'Cancel' }).click();
        await page.getByText(/Whether that was done is not known/).waitFor();
        await page.getByRole('link', { name: 'Next sale' }).click();
        await page.getByLabel('Amount in EUR').waitFor();
        await type(page, '7');
        await page.getByRole('button', { name: 'Show the code' }).click();
        await page.getByText(/This sale is sent by itself/).waitFor();
        await pictures(page, (scheme) => `till-sending-360-${scheme}`);
        expect(await paymentsOf(harness, till)).to.have.length(1);
        await page.context().setOffline(false);
        await page.waitForURL(/\/till\/sales\/2$/);
        expect(await paymentsOf(harness, till)).to.have.length(2);
        await page.getByRole('link', { name: 'Next sale' }).click();
        await page.locator('#sales .state.paid').waitFor();
        expect(await page.locator('#line').isVisible()).to.equal(false);
      });
    },
  );

  check('makes a sale once whose answer was lost, and none that is given up', async () => {
    await atTill({ refused: /Failed to load|ERR_FAILED/ }, async (page, till) => {
      let lost = 0;
      await page.route('**/till/sales', async (route) => {
        lost += 1;
        if (lost > 2) return route.continue();
        await route.fetch({ maxRedirects: 0 });
        return route.abort();
      });
      await type(page, '8');
      await page.getByRole('button', { name: 'Show the code' }).click();
      await page.waitForURL(/\/till\/sales\/1$/);
      expect(lost).to.equal(3);
      expect(await paymentsOf(harness, till)).to.have.length(1);
      await page.getByRole('link', { name: 'Next sale' }).click();
      await page.getByLabel('Amount in EUR').waitFor();
      await page.unroute('**/till/sales');
      await page.route('**/till/sales', (route) => route.abort());
      await type(page, '9');
      await page.getByRole('button', { name: 'Show the code' }).click();
      await page.getByRole('button', { name: 'Do not sell it' }).click();
      await page.unroute('**/till/sales');
      await page.getByRole('button', { name: 'Show the code' }).waitFor();
      expect(await paymentsOf(harness, till)).to.have.length(1);
    });
  });

  check('works without a script: forms, a page that reloads itself, and a close', async () => {
    await atTill({ javaScriptEnabled: false }, async (page, till) => {
      expect(await page.locator('.keypad').isVisible()).to.equal(false);
      await page.getByLabel('Amount in EUR').fill('2');
      await page.getByRole('button', { name: 'Show the code' }).click();
      expect(await heading(page)).to.equal('Sale 1: 2.00 EUR');
      expect(await violationsWithoutScript(browser, page, [360])).to.deep.equal([]);
      await pay(till);
      await page.locator('.tick').waitFor();
      await page.getByRole('link', { name: 'Next sale' }).click();
      await page.getByRole('link', { name: "Day's close" }).click();
      await page.getByRole('button', { name: 'Close the day' }).click();
      expect(await heading(page)).to.contain('Close 1');
    });
  });

  check(
    `has no fault that axe finds, in each state, light and dark, and fits ${SMALL_AND_LARGE}`,
    async () => {
      const till = await makeTill(harness, { name: 'Counter with a rather long name, by the door' });
      await withPage(browser, { userAgent: 'Looks', refused: /status of 40[03]/ }, async (page) => {
        await look(page, 'none', '/till');
        await look(page, 'pair', await pairingOf(harness, till));
        await page.getByRole('button', { name: 'Make it the till' }).click();
        await page.getByLabel('PIN of this till').fill('000000');
        await page.getByRole('button', { name: 'Open' }).click();
        await page.getByText('This PIN is wrong').waitFor();
        await look(page, 'pin', null);
      });
      await atTill({ till, refused: /status of 40/ }, async (page) => {
        await look(page, 'empty', '/till');
        await page.getByLabel('Amount in EUR').fill('x');
        await page.getByRole('button', { name: 'Show the code' }).click();
        await page.locator('#fault').waitFor();
        await look(page, 'fault', null);
        for (const amount of ['1234.50', '2', '3', '4']) {
          await page.goto(`${server.url}/till`);
          await page.getByLabel('Amount in EUR').fill(amount);
          await page.getByRole('button', { name: 'Show the code' }).click();
          await page.locator('.till-code').waitFor();
        }
        const [first = '', , third = '', fourth = ''] = await paymentsOf(harness, till);
        await shop.pay(first);
        await shop.mine(64);
        await shop.pay(third, { amount: '1' });
        await shop.pay(fourth);
        await shop.mine(1);
        await look(page, 'paid', '/till/sales/1');
        await look(page, 'code', '/till/sales/2');
        await page.locator('summary').first().click();
        await look(page, 'coins', null);
        await page.locator('#coin-BTC').click();
        await page.locator('#coin-BTC[aria-pressed=true]').waitFor({ state: 'attached' });
        await look(page, 'bitcoin', null);
        await look(page, 'part', '/till/sales/3');
        await look(page, 'seen', '/till/sales/4');
        await page.goto(`${server.url}/till/sales/2`);
        await page.getByRole('button', { name: 'Cancel' }).click();
        await page.locator('.now.cancelled').waitFor();
        await look(page, 'cancelled', null);
        Object.assign(harness.adapters, { isSimulated: false });
        await look(page, 'unread', '/till/sales/3');
        Object.assign(harness.adapters, { isSimulated: true });
        const late = { status: 'EXPIRED', amount_received: '100' };
        await harness.ctx.db('payments').where({ id: third }).update(late);
        await look(page, 'beside', '/till/sales/3');
        await harness.ctx
          .db('payments')
          .where({ id: fourth })
          .update({ ...late, status: 'FAILED', amount_received: '0' });
        await look(page, 'lost', '/till/sales/4');
        await look(page, 'sales', '/till');
        await look(page, 'close', '/till/close');
        await page.getByLabel('Closed by').fill('Ann');
        await page.getByRole('button', { name: 'Close the day' }).click();
        await page.waitForURL(/closes/);
        await look(page, 'closed', null);
      });
    },
  );

  /** Null: what the page shows already. */
  const look = async (page: Page, name: string, path: string | null) => {
    if (path !== null) await page.goto(`${server.url}${path}`);
    // The document stays while its pages change.
    await page.evaluate(`document.documentElement.style.fontSize = ''`);
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 });
      expect(await overflow(page), `${name} at ${width}`).to.equal(0);
      if (width !== 768) expect(await violationsOnEachScreen(page), `${name} at ${width}`).to.deep.equal([]);
      await pictures(page, (colorScheme) => `till-${name}-${width}-${colorScheme}`);
    }
    if (path !== null) await fitsSmallAndLarge(page, name);
  };
});
