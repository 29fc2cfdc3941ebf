import { expect } from 'chai';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { CHECKOUT_STATES, paymentIn, setColumns } from '../support/checkout.ts';
import { allowEmbedding } from '../support/embedding.ts';
import { freePort } from '../support/free-port.ts';
import { createHarness, type Harness } from '../support/harness.ts';
import { createPayment, listen, type Listening } from '../support/http.ts';
import { createLink, pathOf } from '../support/links.ts';
import { openShop } from '../support/shop.ts';
import { until } from '../support/until.ts';
import { overflow, violations } from './axe.ts';
import { openBrowser, picture, withPage, stopClock } from './browser.ts';
import { focusedId, framed, heard, hears, openCart, openShopSite, type ShopSite } from './shop-site.ts';
import { sideBySide } from './side-by-side.ts';

const PHONE = { width: 360, height: 740 };
const DESKTOP = { width: 1366, height: 768 };

describe('the checkout page in a modal of a shop', () => {
  const check = sideBySide();
  let harness: Harness;
  let server: Listening;
  let site: ShopSite;
  let browser: Browser;
  before(async () => {
    const port = await freePort();
    harness = await createHarness({ PUBLIC_URL: `http://127.0.0.1:${port}` });
    server = await listen(harness.app, port);
    site = await openShopSite();
    await allowEmbedding(harness, harness.merchant.id, ['https://other.example', site.origin]);
    browser = await openBrowser();
  });
  after(async () => {
    await site.close();
    await server.close();
    await harness.close();
  });

  /** The `checkout_url` of a payment in a state. */
  const payable = async (state = 'waiting') => {
    const links = { success_url: `${site.origin}/thanks`, cancel_url: `${site.origin}/back` };
    const { id, token_id } = await paymentIn(harness, state, links);
    return { id, pay: `${server.url}/checkout/${token_id}` };
  };
  const inShop = (
    options: Omit<BrowserContextOptions, 'colorScheme'> & { readonly refused?: string | RegExp },
    use: (page: Page) => Promise<void>,
  ) => withPage(browser, { shop: site.origin, ...options }, use);
  const modal = (page: Page) => page.getByRole('dialog');
  const closeButton = (page: Page) => page.getByRole('button', { name: 'Close' });
  const isShown = (page: Page) => framed(page).locator('#amount:visible').waitFor();
  const isClosed = (page: Page) => modal(page).waitFor({ state: 'detached' });

  check('the button of a payment link opens its page there, and then that of the payment', async () => {
    const link = await createLink(harness, { title: 'A pot of tea' });
    await inShop({ viewport: PHONE }, async (page) => {
      await openCart(page, site.cartUrl({ pay: `${server.url}${pathOf(link)}` }));
      await page.locator('#link').click();
      await framed(page).getByRole('heading', { name: 'A pot of tea' }).waitFor();
      await picture(page, 'embed-link');
      await framed(page).getByRole('button', { name: 'Pay 10.50 USDC' }).click();
      await isShown(page);
      await hears(page, 'link state waiting');
      await closeButton(page).click();
      await isClosed(page);
    });
  });

  for (const [name, viewport] of [
    ['phone', PHONE],
    ['desktop', DESKTOP],
  ] as const)
    check(`a customer pays in it, and the shop hears of it, on a ${name}`, async () => {
      // What mines blocks moves every payment of its harness.
      const own = await createHarness();
      const ownServer = await listen(own.app);
      try {
        await allowEmbedding(own, own.merchant.id, [site.origin]);
        const { token_id } = await paymentIn(own, 'waiting', { success_url: `${site.origin}/thanks` });
        const url = site.cartUrl({ pay: `${ownServer.url}/checkout/${token_id}` });
        await inShop({ viewport }, async (page) => {
          await openCart(page, url);
          await page.locator('#link').click();
          await isShown(page);
          await hears(page, 'link state waiting');
          expect(await violations(page)).to.deep.equal([]);
          expect(await overflow(page)).to.equal(0);
          await picture(page, `embed-${name}-waiting`);
          const { x, y, width, height } = (await page.locator('iframe').boundingBox()) ?? {};
          if (name === 'phone') expect([x, y, width, height]).to.deep.equal([0, 44, 360, 696]);
          else {
            expect([x, width]).to.deep.equal([(1366 - 920) / 2, 920]);
            expect(await framed(page).locator('.qr:visible').count(), 'the code, beside').to.equal(1);
          }
          const wallet = name === 'phone' ? '#wallets > summary' : '#wallet';
          for (const needed of ['#amount', '#address', '#copy-address', wallet]) {
            const box = await framed(page).locator(needed).boundingBox();
            expect((box?.y ?? Infinity) + (box?.height ?? 0), needed).to.be.at.most(viewport.height);
          }
          await framed(page).getByRole('button', { name: 'Pay exactly' }).click();
          await hears(page, 'link state seen');
          await (await openShop(own)).mine(13);
          await hears(page, 'link settled settled');
          await picture(page, `embed-${name}-settled`);
          await closeButton(page).click();
          await isClosed(page);
          expect(page.url()).to.equal(url);
          const events = await heard(page);
          expect(events.filter((event) => event === 'link settled settled')).to.have.length(1);
          expect(events.at(-1)).to.equal('link closed settled');
        });
      } finally {
        await ownServer.close();
        await own.close();
      }
    });

  check('is as high as a tall phone, and a card on a tablet', async () => {
    const { pay } = await payable();
    for (const [viewport, card] of [
      [{ width: 412, height: 915 }, [0, 44, 412, 871]],
      [{ width: 915, height: 412 }, [0, 44, 915, 368]],
      [{ width: 768, height: 1024 }, [24, 166, 720, 736]],
    ] as const)
      await inShop({ viewport }, async (page) => {
        await openCart(page, site.cartUrl({ pay }));
        await page.locator('#link').click();
        await isShown(page);
        const { x, y, width, height } = (await page.locator('iframe').boundingBox()) ?? {};
        expect([x, y, width, height]).to.deep.equal(card);
        await picture(page, `embed-${viewport.width}`);
      });
  });

  check('shows the message of a maintenance in it, and the shop stays behind it', async () => {
    const port = await freePort();
    const own = await createHarness({ PUBLIC_URL: `http://127.0.0.1:${port}`, MAINTENANCE: 'true' });
    const ownServer = await listen(own.app, port);
    try {
      const url = site.cartUrl({ pay: `${ownServer.url}/checkout/${'A'.repeat(32)}` });
      await inShop({ refused: /503/ }, async (page) => {
        await stopClock(page);
        await openCart(page, url);
        await page.evaluate(`window.shown = new Promise((resolve) =>
          addEventListener('message', ({ data }) => data.type === 'checkout.shown' && resolve())); 0`);
        await page.locator('#link').click();
        await framed(page).locator('h1', { hasText: 'Back soon' }).waitFor();
        await page.evaluate('window.shown');
        await page.clock.runFor(20_000);
        expect(page.url()).to.equal(url);
        expect(await modal(page).isVisible()).to.equal(true);
        await picture(page, 'embed-maintenance');
      });
    } finally {
      await ownServer.close();
      await own.close();
    }
  });

  check('by keyboard alone: the shop behind is inert, Escape closes, and the focus returns', async () => {
    const { pay } = await payable();
    await inShop({ viewport: DESKTOP }, async (page) => {
      await openCart(page, site.cartUrl({ pay }));
      for (const [opener, key] of [
        ['link', 'Enter'],
        ['button', 'Space'],
      ] as const) {
        await page.locator(`#${opener}`).focus();
        await page.keyboard.press(key);
        await isShown(page);
        await hears(page, `${opener} state waiting`);
        expect(await modal(page).getAttribute('aria-label')).to.equal('Payment');
        expect(await modal(page).locator('button:focus').count(), 'the focus is in it').to.equal(1);
        for (let n = 0; n < 6; n += 1) {
          await page.keyboard.press('Tab');
          expect(['link', 'button'], 'the shop is inert').to.not.include(await focusedId(page));
        }
        expect(await framed(page).locator(':focus').count(), 'the focus is in the frame').to.equal(1);
        // The page in the frame hears the key, and then the browser itself.
        for (const _ of ['frame', 'modal']) {
          // Released after that: a release that meets the frame's end stays unanswered (8 of 122 tries).
          await page.keyboard.down('Escape');
          await isClosed(page);
          await page.keyboard.up('Escape');
          await hears(page, `${opener} closed waiting`);
          expect(await focusedId(page)).to.equal(opener);
          expect(await page.evaluate('document.documentElement.style.overflow')).to.equal('');
          await page.evaluate('window.heard = []');
          await page.keyboard.press(key);
          await isShown(page);
          await hears(page, `${opener} state waiting`);
        }
        await closeButton(page).press('Enter');
        await isClosed(page);
      }
    });
  });

  check(
    'a page of another origin is in no frame: the console says so, and the link leads there',
    async () => {
      const { pay } = await payable();
      const foreign = `${site.origin}/thanks`;
      await inShop({ refused: /PaymentCheckout/ }, async (page) => {
        const errors: string[] = [];
        page.on('pageerror', ({ message }) => errors.push(message));
        await openCart(page, site.cartUrl({ pay }));
        await page.evaluate(`document.getElementById('button').setAttribute('data-checkout', '${foreign}');
        document.getElementById('link').href = '${foreign}'`);
        await page.locator('#button').click();
        expect(await page.locator('iframe').count()).to.equal(0);
        expect(errors).to.deep.equal([
          `PaymentCheckout: ${foreign} is no checkout_url of ${server.url}, and is not opened in a frame.`,
        ]);
        await page.locator('#link').click();
        await page.waitForURL(foreign);
      });
    },
  );

  check('PaymentCheckout.open of a module calls back, and a second modal closes the first', async () => {
    const [first, second] = [await payable(), await payable()];
    await inShop({}, async (page) => {
      await openCart(page, site.cartUrl({ pay: first.pay, how: 'module' }));
      await page.evaluate(`window.calls = [];
        window.openPayment = (name, url) => {
          const on = (kind) => ({ state, url: of }) => window.calls.push([name, kind, state, of === url].join(' '));
          return PaymentCheckout.open(url, {
            onState: on('state'), onSettled: on('settled'), onClosed: on('closed'),
          });
        }`);
      const calls = () => page.evaluate<string[]>('window.calls');
      const called = (last: string) => until(last, async () => (await calls()).at(-1) === last);
      await page.evaluate(`void window.openPayment('first', '${first.pay}')`);
      await called('first state waiting true');
      await page.evaluate(`window.handle = window.openPayment('second', '${second.pay}'); 0`);
      await called('second state waiting true');
      expect(await modal(page).count()).to.equal(1);
      await setColumns(harness, second.id, CHECKOUT_STATES.settled ?? {});
      await called('second settled settled true');
      // A message that anyone could send counts for nothing.
      await page.evaluate(`postMessage({ type: 'checkout.close' }, '*')`);
      await page.evaluate(`new Promise((resolve) => setTimeout(resolve))`);
      expect(await modal(page).count()).to.equal(1);
      await page.evaluate('window.handle.close(); window.handle.close()');
      await isClosed(page);
      expect(await calls()).to.deep.equal([
        'first state waiting true',
        'first closed waiting true',
        'second state waiting true',
        'second state settled true',
        'second settled settled true',
        'second closed settled true',
      ]);
      const refusal = `try { PaymentCheckout.open('javascript:alert(1)'); } catch (error) { error.name }`;
      expect(await page.evaluate(refusal)).to.equal('TypeError');
    });
  });

  check('an origin that is not allowed: the frame is refused, and the link leads to the page', async () => {
    const { apiKey } = await harness.addMerchant();
    const { token_id } = await createPayment(harness, {}, apiKey);
    const pay = `${server.url}/checkout/${token_id}`;
    for (const how of ['async', 'none'] as const)
      await inShop({ refused: /^Framing '.* "frame-ancestors 'none'"/ }, async (page) => {
        if (how === 'async') await openCart(page, site.cartUrl({ pay, how }));
        else await page.goto(site.cartUrl({ pay, how }));
        await page.locator('#link').click();
        await page.waitForURL(pay);
        expect(await page.locator('#amount').isVisible()).to.equal(true);
      });
  });

  check('a policy of the shop that allows no frame: the button leads to the page', async () => {
    const { pay } = await payable();
    const policy = `default-src 'none'; script-src ${server.url}`;
    await inShop({ refused: /^Framing '.* "default-src 'none'"/ }, async (page) => {
      await openCart(page, site.cartUrl({ pay, policy }));
      await page.locator('#button').click();
      await page.waitForURL(pay);
    });
  });

  check('leaves through the shop: after the settlement, announced, and by the links', async () => {
    const { id, pay } = await payable();
    await inShop({}, async (page) => {
      await stopClock(page);
      await openCart(page, site.cartUrl({ pay }));
      await page.locator('#link').click();
      await hears(page, 'link state waiting');
      await setColumns(harness, id, CHECKOUT_STATES.settled ?? {});
      await framed(page).locator('#heard', { hasText: 'in 20 seconds' }).waitFor({ state: 'attached' });
      await page.clock.runFor(19_000);
      expect(page.url()).to.equal(site.cartUrl({ pay }));
      await page.clock.runFor(2_000);
      await page.waitForURL('**/thanks**');
      expect(page.url()).to.include(`payment_id=${id}`).and.include('status=SETTLED');
    });
    // A frame that no script of ours looks after: nobody would go, so nothing is announced.
    const { id: other, pay: otherPay } = await payable();
    await inShop({}, async (page) => {
      await page.goto(site.cartUrl({ pay: otherPay, how: 'frame' }));
      await isShown(page);
      await setColumns(harness, other, CHECKOUT_STATES.settled ?? {});
      await framed(page).locator('#success').waitFor();
      expect(await framed(page).locator('#stay').isVisible()).to.equal(false);
    });
    for (const [state, link, path] of [
      ['settled', '#success', '/thanks'],
      ['waiting', '#cancel', '/back'],
    ] as const) {
      const { pay: url } = await payable(state);
      await inShop({}, async (page) => {
        await stopClock(page);
        await openCart(page, site.cartUrl({ pay: url }));
        // They need no script, which may come much later.
        await page.route('**/checkout/assets/*', () => undefined);
        await page.locator('#link').click();
        await framed(page).locator(link).click();
        await page.waitForURL(`**${path}**`);
      });
    }
  });

  // One after the other: there is one clipboard.
  check("copies what it says it copies, in the modal and in a shop's own frame", async () => {
    const { pay } = await payable();
    const permissions = ['clipboard-read', 'clipboard-write'];
    const copies = async (page: Page, button: string, id: string) => {
      await framed(page).locator(button).click();
      await framed(page).locator('#heard', { hasText: 'Copied' }).waitFor({ state: 'attached' });
      return framed(page).locator(id).textContent();
    };
    const clipboard = (page: Page) => page.evaluate<string>('navigator.clipboard.readText()');
    await inShop({ permissions }, async (page) => {
      await openCart(page, site.cartUrl({ pay }));
      await page.locator('#link').click();
      const address = await copies(page, '#copy-address', '#address');
      await closeButton(page).click();
      expect(await clipboard(page)).to.equal(address);
    });
    // A frame without `allow`: the browser refuses its clipboard, and the page copies in another way.
    await inShop({ permissions, refused: /^Permissions policy violation: The Clipboard/ }, async (page) => {
      await page.goto(site.cartUrl({ pay, how: 'frame' }));
      const amount = await copies(page, '#copy-amount', '#amount');
      await page.locator('#link').focus();
      expect(await clipboard(page)).to.equal(amount);
      // Where that is refused as well, it says so.
      await framed(page).locator('body').evaluate('document.execCommand = () => false');
      await framed(page).locator('#copy-address').click();
      await framed(page).locator('#notice', { hasText: 'This browser does not copy' }).waitFor();
    });
  });

  check('speaks the language of the page, and moves only for who likes that', async () => {
    const { pay } = await payable();
    for (const [locale, query, name, close] of [
      ['de-DE', '', 'Zahlung', 'Schließen'],
      ['de-DE', '?lang=ar', 'الدفع', 'إغلاق'],
      ['sv-SE', '', 'Payment', 'Close'],
    ] as const)
      for (const reducedMotion of ['reduce', 'no-preference'] as const)
        await inShop({ locale, reducedMotion }, async (page) => {
          await openCart(page, site.cartUrl({ pay: `${pay}${query}` }));
          const opened = `document.getElementById('link').click();
            document.querySelector('dialog').getAnimations().length`;
          expect(await page.evaluate(opened)).to.equal(reducedMotion === 'reduce' ? 0 : 1);
          await page.getByRole('dialog', { name, exact: true }).waitFor();
          await page.getByRole('button', { name: close, exact: true }).waitFor();
          await isShown(page);
          expect(await violations(page)).to.deep.equal([]);
        });
  });
});
