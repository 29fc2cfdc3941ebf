import { expect } from 'chai';
import jsqr from 'jsqr';
import type { Browser, Page } from 'playwright-core';
import { PNG } from 'pngjs';
import { COINS_ON_NETWORKS, tokenContract } from '../../src/domain/chain/coins.ts';
import { NETWORKS } from '../../src/domain/chain/networks.ts';
import type { PaymentMethod } from '../../src/domain/checkout/view/offer.ts';
import { paymentIn, setColumns, CHECKOUT_STATES } from '../support/checkout.ts';
import type { Listening } from '../support/http.ts';
import type { Harness } from '../support/harness.ts';
import { overflow, violations } from './axe.ts';
import { picture, withPage, stopClock } from './browser.ts';
import { showPages } from './pages.ts';

// CommonJS, with its function in `default`.
const decode = jsqr as unknown as typeof jsqr.default;

type Clip = NonNullable<NonNullable<Parameters<Page['screenshot']>[0]>['clip']>;

/** What a page offers whose merchant has named nothing. */
const OFFERED = COINS_ON_NETWORKS.filter(({ network }) => NETWORKS[network].isOnRequest !== true);

/** Pixels of the page around the code. */
const MARGIN = 24;

describe('using the checkout page', () => {
  let harness: Harness;
  let server: Listening;
  let browser: Browser;
  const check = showPages((opened) => ({ harness, server, browser } = opened));

  const urlOf = (token: string, query = '') => `${server.url}/checkout/${token}${query}`;
  const scanned = async (page: Page, clip?: Clip) => {
    const png = await page.screenshot({ fullPage: true, ...(clip === undefined ? {} : { clip }) });
    const { data, width, height } = PNG.sync.read(png);
    return decode(new Uint8ClampedArray(data), width, height)?.data;
  };
  /** The code and what is around it, as somebody sees it who points a phone at it. */
  const aroundCode = async (page: Page): Promise<Clip> => {
    const box = await page.locator('.qr:visible').boundingBox();
    if (box === null) throw new Error('the page shows no code');
    const { x, y, width, height } = box;
    const [left, top] = [Math.max(0, x - MARGIN), y - MARGIN];
    // A clip of the whole page is measured from its top.
    const scrolled = await page.evaluate<number>('scrollY');
    return {
      x: left,
      y: top + scrolled,
      width: x - left + width + MARGIN,
      height: y - top + height + MARGIN,
    };
  };

  /** Chooses a method on the open page, as a customer does. */
  const chooseInPlace = async (page: Page, { coin, network }: PaymentMethod) => {
    for (const id of [`coin-${coin}`, `network-${network}`]) {
      const pressed = page.locator(`#${id}[aria-pressed=true]`);
      if ((await pressed.count()) > 0) continue;
      if ((await page.locator('#choice[open]').count()) === 0) await page.locator('#chosen').click();
      await page.locator(`#${id}`).click();
      await pressed.waitFor({ state: 'attached' });
      // A stream may show the choice before its answer closes it, which moves the code below.
      await page.locator('body:not([data-posting])').waitFor();
    }
  };
  const openCode = async (page: Page) => {
    if ((await page.locator('#show-code[open]').count()) === 0)
      await page.locator('#show-code > summary').click();
  };

  // The dark page takes the way back: each method follows both of its neighbours.
  for (const colorScheme of ['light', 'dark'] as const)
    check(
      `on a ${colorScheme} screen the codes of every coin on every network, chosen in place, are its address and the wallet's link`,
      async () => {
        const { token_id } = await paymentIn(harness, 'waiting');
        const methods = colorScheme === 'light' ? OFFERED : OFFERED.toReversed();
        await withPage(browser, { colorScheme, deviceScaleFactor: 2 }, async (page) => {
          await page.goto(urlOf(token_id));
          for (const { coin, network } of methods.filter((method) => method.coin !== 'SOL')) {
            await chooseInPlace(page, { coin, network });
            const uri = await page.locator('#wallet').getAttribute('href');
            const address = await page.locator('#address').textContent();
            expect(uri).to.include(address ?? 'no address');
            const name = `${coin} on ${network}`;
            await openCode(page);
            const isBareFirst = network === 'tron' || tokenContract(coin, network) !== null;
            expect(await scanned(page, await aroundCode(page)), name).to.equal(isBareFirst ? address : uri);
            const other = page.locator('#show-code input:not(:checked) + label');
            const isOneOnly = network === 'tron' && coin !== 'TRX';
            expect(await other.count(), `${name}: a choice`).to.equal(isOneOnly ? 0 : 1);
            if (isOneOnly) continue;
            // What is changed here must not decide what the next method's code holds.
            await other.click();
            expect(await scanned(page, await aroundCode(page)), name).to.equal(isBareFirst ? uri : address);
          }
          await chooseInPlace(page, { coin: 'SOL', network: 'solana' });
          // A wallet would pay a test with real SOL: the address stands alone.
          expect(await page.locator('#address').isVisible()).to.equal(true);
          expect(await page.locator('.qr, #wallet').count()).to.equal(0);
          expect(await overflow(page)).to.equal(0);
          await picture(page, `without-code-${colorScheme}`);
          await chooseInPlace(page, { coin: 'USDC', network: 'ethereum' });
          await openCode(page);
          // The layout is the same for all: one scan of the whole page, which takes many times longer, says
          // that a reader finds it there.
          expect(await scanned(page)).to.equal(await page.locator('#address').textContent());
        });
      },
    );

  check('what the customer chose for a code stays so while its amount changes', async () => {
    const { id, token_id } = await paymentIn(harness, 'waiting');
    await withPage(browser, {}, async (page) => {
      await page.goto(urlOf(token_id));
      await openCode(page);
      await page.locator('#show-code input:not(:checked) + label').click();
      await setColumns(harness, id, CHECKOUT_STATES.underpaid ?? {});
      await page.locator('#said', { hasText: 'Part of your payment is here' }).waitFor();
      expect(await scanned(page, await aroundCode(page))).to.equal(
        await page.locator('#wallet').getAttribute('href'),
      );
    });
  });

  for (const javaScriptEnabled of [true, false])
    check(
      `coin and network are chosen by keyboard alone, ${javaScriptEnabled ? 'with' : 'without'} JavaScript`,
      async () => {
        const { token_id } = await paymentIn(harness, 'waiting');
        await withPage(browser, { javaScriptEnabled }, async (page) => {
          await page.goto(urlOf(token_id));
          const tabTo = async (selector: string) => {
            for (let n = 0; n < 40; n += 1) {
              await page.keyboard.press('Tab');
              if ((await page.locator(`${selector}:focus`).count()) === 1) return;
            }
            throw new Error(`the keyboard does not reach ${selector}`);
          };
          await tabTo('#choice > summary');
          await page.keyboard.press('Enter');
          await tabTo('#coin-USDT');
          await picture(page, `focus-${String(javaScriptEnabled)}`);
          await page.keyboard.press('Enter');
          const isChosen = async (id: string) =>
            page.locator(`#${id}[aria-pressed=true]`).waitFor({ state: 'attached' });
          await isChosen('coin-USDT');
          // A coin leaves its networks to choose from; with a script what was pressed keeps the focus.
          expect(await page.locator('#choice[open]').count()).to.equal(1);
          if (javaScriptEnabled) expect(await page.locator('#coin-USDT:focus').count()).to.equal(1);
          await page.locator('#network-tron').press('Space');
          await isChosen('network-tron');
          // A stream may show the choice before its answer closes it.
          await page.locator('body:not([data-posting])').waitFor();
          expect(await page.locator('#choice[open]').count(), 'nothing is left to choose').to.equal(0);
          if (javaScriptEnabled) expect(await page.locator('#chosen:focus').count()).to.equal(1);
          expect(page.url()).to.equal(javaScriptEnabled ? urlOf(token_id) : `${urlOf(token_id)}#pay`);
          await page.locator('h3', { hasText: 'Tron address' }).waitFor();
          expect(await page.locator('.warning:visible').textContent()).to.include('Send only USDT on Tron');
          expect(await page.locator('#copy-address').isVisible()).to.equal(javaScriptEnabled);
        });
      },
    );

  check(
    'from an exchange: what must arrive, its name of the network, no memo, the delay; whatever coin follows',
    async () => {
      const { token_id } = await paymentIn(harness, 'waiting');
      const exchange = (page: Page) => page.locator('.by-exchange');
      await withPage(browser, { viewport: { width: 360, height: 740 } }, async (page) => {
        await page.goto(urlOf(token_id));
        const wallet = page.locator('.by-wallet', { hasText: 'Your wallet adds its fee.' });
        expect([await wallet.isVisible(), await exchange(page).isVisible()]).to.deep.equal([true, false]);
        await page.locator('[for=from-exchange]').click();
        expect([await wallet.isVisible(), await exchange(page).isVisible()]).to.deep.equal([false, true]);
        expect((await exchange(page).innerText()).split(/\n+/)).to.deep.equal([
          'Exactly 10.50 USDC must arrive. Exchanges take their fee from what you send: choose an amount from which this much is left.',
          'Choose the network Ethereum (ERC20) there. No memo or tag is needed.',
          'An exchange often needs 5 to 30 minutes before it sends.',
        ]);
        expect(await violations(page)).to.deep.equal([]);
        expect(await overflow(page)).to.equal(0);
        await picture(page, 'from-exchange-phone');
        for (const [coin, network, name] of [
          ['USDT', 'tron', 'Tron (TRC20)'],
          ['USDT', 'polygon', 'Polygon PoS'],
          ['USDT', 'solana', 'Solana (SPL)'],
        ] as const) {
          await chooseInPlace(page, { coin, network });
          await exchange(page)
            .filter({ hasText: `Choose the network ${name} there.` })
            .waitFor();
        }
      });
      // Without a script as well.
      for (const [name, look, query] of [
        ['desktop', { viewport: { width: 1366, height: 768 }, colorScheme: 'dark' }, ''],
        ['phone-ar', { viewport: { width: 360, height: 740 }, colorScheme: 'light' }, '?lang=ar'],
      ] as const)
        await withPage(browser, { ...look, javaScriptEnabled: false }, async (page) => {
          await page.goto(urlOf(token_id, query));
          await page.locator('[for=from-exchange]').click();
          await exchange(page).waitFor();
          expect(await overflow(page)).to.equal(0);
          await picture(page, `from-exchange-${name}`);
        });
    },
  );

  check('copies exactly the amount and the address, and says so to a screen reader', async () => {
    const { token_id } = await paymentIn(harness, 'waiting');
    await withPage(browser, { permissions: ['clipboard-read', 'clipboard-write'] }, async (page) => {
      // What was announced leaves the page after 5 s.
      await stopClock(page);
      await page.goto(urlOf(token_id));
      const copied = page.locator('#heard > p', { hasText: 'Copied' });
      for (const [index, part] of ['amount', 'address'].entries()) {
        await page.locator(`#copy-${part}`).click();
        await copied.nth(index).waitFor({ state: 'attached' });
        expect(await page.evaluate('navigator.clipboard.readText()')).to.equal(
          await page.locator(`#${part}`).textContent(),
        );
      }
    });
  });

  check('updates in place: the live region stays, focus stays, and nothing is loaded again', async () => {
    const { id, token_id } = await paymentIn(harness, 'waiting');
    await withPage(browser, {}, async (page) => {
      await page.goto(urlOf(token_id));
      await page.evaluate(`window.kept = document.getElementById('said')`);
      await page.locator('#copy-address').focus();
      await setColumns(harness, id, CHECKOUT_STATES.underpaid ?? {});
      await page.locator('#said', { hasText: 'Part of your payment is here' }).waitFor();
      expect(await page.locator('#amount').textContent()).to.equal('6.50');
      expect(await page.locator(':focus').getAttribute('id')).to.equal('copy-address');
      await setColumns(harness, id, { ...CHECKOUT_STATES.confirming, sequence: 3 });
      await page.locator('#said', { hasText: 'Confirming: 3 of 12' }).waitFor();
      expect(await page.locator('#address').count()).to.equal(0);
      expect(await page.locator(':focus').getAttribute('id'), 'what had the focus is gone').to.equal(
        'status',
      );
      expect(
        await page.evaluate(`window.kept === document.getElementById('said') && window.kept.isConnected`),
      ).to.equal(true);
      await picture(page, 'in-place-confirming');
    });
  });

  check('without JavaScript an opened choice is open when the page loads itself again', async () => {
    const { token_id } = await paymentIn(harness, 'waiting');
    await withPage(browser, { javaScriptEnabled: false }, async (page) => {
      const isOpen = () => page.locator('#coin-USDT').isVisible();
      const refresh = () => page.locator('meta[http-equiv=refresh]').getAttribute('content');
      for (const query of ['', '?lang=de']) {
        const [closed, opened] = [
          urlOf(token_id, query),
          urlOf(token_id, query === '' ? '?open' : `${query}&open`),
        ];
        await page.goto(closed);
        expect(await isOpen()).to.equal(false);
        await page.locator('#chosen').click();
        await page.waitForURL(opened);
        expect(await isOpen()).to.equal(true);
        expect(await refresh()).to.equal(`10;url=${new URL(opened).pathname}${new URL(opened).search}`);
        await page.locator('#coin-USDT').click();
        await page.waitForURL(`${opened}#pay`);
        expect(await isOpen(), 'its networks are to be chosen from').to.equal(true);
        await page.locator('#chosen').click();
        await page.waitForURL(closed);
        expect(await isOpen()).to.equal(false);
        await page.goto(opened);
        await page.locator('#network-ethereum').click();
        await page.waitForURL(`${closed}#pay`);
        expect(await isOpen()).to.equal(false);
      }
    });
  });

  check('without JavaScript it loads itself again', async () => {
    const { id, token_id } = await paymentIn(harness, 'waiting');
    await withPage(browser, { javaScriptEnabled: false }, async (page) => {
      await page.goto(urlOf(token_id));
      await setColumns(harness, id, CHECKOUT_STATES.seen ?? {});
      await page.locator('#said', { hasText: 'We have seen your payment' }).waitFor();
    });
  });

  check(
    'without JavaScript it loads itself again also after a coin was chosen, which leads to a part of it',
    async () => {
      const { id, token_id } = await paymentIn(harness, 'waiting');
      await withPage(browser, { javaScriptEnabled: false }, async (page) => {
        await page.goto(urlOf(token_id, '?lang=de'));
        await page.locator('#choice > summary').click();
        await page.locator('#coin-USDT').click();
        await page.locator('#coin-USDT[aria-pressed=true]').waitFor({ state: 'attached' });
        expect(page.url()).to.match(/#pay$/);
        await setColumns(harness, id, CHECKOUT_STATES.seen ?? {});
        await page.locator('html[lang=de] #said', { hasText: 'gesehen' }).waitFor();
      });
    },
  );

  check('who sees it settle is taken back to the shop after 20 s, announced, unless they stay', async () => {
    const shop = `${server.url}/thanks?a=1`;
    const settle = async (page: Page) => {
      const { id, token_id } = await paymentIn(harness, 'converting', { success_url: shop });
      await page.goto(urlOf(token_id));
      await setColumns(harness, id, CHECKOUT_STATES.settled ?? {});
      await page.locator('#heard', { hasText: 'in 20 seconds' }).waitFor({ state: 'attached' });
      return { id, token_id };
    };
    await withPage(browser, {}, async (page) => {
      await page.route('**/thanks**', (route) => route.fulfill({ body: 'thanks' }));
      await stopClock(page);
      const { id } = await settle(page);
      await page.clock.runFor(19_000);
      expect(page.url()).to.not.include('thanks');
      await page.clock.runFor(2_000);
      await page.waitForURL('**/thanks**');
      expect(page.url()).to.equal(`${shop}&payment_id=${id}&order_id=order+1&status=SETTLED`);
      const { token_id } = await settle(page);
      // Said before the page has asked for the other one, whose answer would have to be waited for.
      await page.evaluate(
        `navigation.addEventListener('navigate', ({ destination }) => { window.leadsTo = destination.url; })`,
      );
      await page.locator('#stay').click();
      await page.clock.runFor(21_000);
      expect(await page.evaluate('window.leadsTo ?? null')).to.equal(null);
      expect(page.url()).to.equal(urlOf(token_id));
    });
  });

  check('who opens a payment that is settled already, from a receipt, stays', async () => {
    const { token_id } = await paymentIn(harness, 'settled');
    await withPage(browser, {}, async (page) => {
      await stopClock(page);
      await page.goto(urlOf(token_id));
      await page.evaluate(
        `navigation.addEventListener('navigate', ({ destination }) => { window.leadsTo = destination.url; })`,
      );
      await page.clock.runFor(60_000);
      expect(await page.locator('#stay').isVisible()).to.equal(false);
      expect(await page.evaluate('window.leadsTo ?? null')).to.equal(null);
    });
  });

  check('without a script the page stops reloading for who needs longer', async () => {
    const { token_id } = await paymentIn(harness, 'waiting');
    await withPage(browser, { javaScriptEnabled: false }, async (page) => {
      await page.goto(urlOf(token_id, '?lang=en'));
      const reloads = page.locator('meta[http-equiv=refresh]');
      expect(await reloads.count()).to.equal(1);
      await page.getByRole('link', { name: 'Stop reloading this page' }).click();
      await page.getByRole('link', { name: 'Reload this page' }).waitFor();
      expect(await reloads.count()).to.equal(0);
      await picture(page, 'still-360-light-plain');
      await page.getByRole('link', { name: 'Reload this page' }).click();
      await page.getByRole('link', { name: 'Stop reloading this page' }).waitFor();
      expect(await reloads.count()).to.equal(1);
    });
  });
});
