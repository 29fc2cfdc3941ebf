import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { CHECKOUT_STATES, paymentIn, setColumns } from '../support/checkout.ts';
import { createPayment, listen, type Listening } from '../support/http.ts';
import { openShop } from '../support/shop.ts';
import type { Harness } from '../support/harness.ts';
import { violations } from './axe.ts';
import { picture, stopClock, withPage } from './browser.ts';
import { OBSERVER } from './observer.ts';
import { showPages } from './pages.ts';

/** An injected wallet (EIP-1193) that keeps what it is asked for, and starts on the main network. */
const WALLET = `
  window.asked = [];
  let chain = '0x1';
  window.ethereum = { request: async ({ method, params }) => {
    window.asked.push({ method, params });
    if (window.refusal?.[method]) throw Object.assign(new Error('refused'), { code: window.refusal[method] });
    if (method === 'eth_requestAccounts') return ['0x00000000000000000000000000000000000000aa'];
    if (method === 'wallet_switchEthereumChain') { if (!window.isStubborn) chain = params[0].chainId; return null; }
    if (method === 'eth_chainId') return chain;
    return '0x' + 'ab'.repeat(32);
  } };`;

describe('what the checkout page promises', () => {
  let harness: Harness;
  let server: Listening;
  let browser: Browser;
  const check = showPages((opened) => ({ harness, server, browser } = opened));

  const urlOf = (token: string, query = '') => `${server.url}/checkout/${token}${query}`;
  const notice = (page: Page, hasText: string) => page.locator('#notice', { hasText }).waitFor();
  /** Opens a page whose time stands still, unless the test lets it run. */
  const openPaused = async (page: Page, url: string) => {
    const opened = new Date('2026-01-31T12:00:00.000Z');
    await page.clock.install({ time: opened });
    await page.goto(url);
    await page.locator('#show-code').waitFor();
    await page.clock.pauseAt(new Date(opened.getTime() + 120_000));
  };
  const asked = (page: Page) =>
    page.evaluate<{ method: string; params?: Record<string, string>[] }[]>('window.asked');

  check('an injected wallet pays with one click: right chain, token, recipient and amount', async () => {
    const { token_id } = await paymentIn(harness, 'waiting');
    await withPage(browser, {}, async (page) => {
      await page.addInitScript(WALLET);
      await page.goto(urlOf(token_id));
      const address = (await page.locator('#address').textContent()) ?? '';
      await page.locator('#injected').click();
      await page.locator('#said', { hasText: 'Sent. Waiting for the network' }).waitFor();
      const [accounts, chain, now, sent] = await asked(page);
      expect([accounts?.method, now?.method]).to.deep.equal(['eth_requestAccounts', 'eth_chainId']);
      expect(chain?.params).to.deep.equal([{ chainId: '0xaa36a7' }]);
      expect(sent?.method).to.equal('eth_sendTransaction');
      const { to, value, data } = sent?.params?.[0] ?? {};
      expect([value, to]).to.deep.equal([
        '0x0',
        /ethereum:(0x\w+)@/.exec((await page.locator('#wallet').getAttribute('href')) ?? '')?.[1],
      ]);
      const words = [address.slice(2).toLowerCase(), (10_500_000).toString(16)];
      expect(data).to.equal(`0xa9059cbb${words.map((word) => word.padStart(64, '0')).join('')}`);
      expect(await page.locator('#injected').isVisible(), 'a second click pays twice').to.equal(false);
    });
  });

  check('an injected wallet that stays on another chain, or refuses, sends nothing', async () => {
    const { token_id } = await paymentIn(harness, 'waiting');
    await withPage(browser, {}, async (page) => {
      await page.addInitScript(WALLET);
      await page.goto(urlOf(token_id));
      await page.evaluate('window.isStubborn = true');
      await page.locator('#injected').click();
      await notice(page, 'does not switch to Sepolia');
      await page.evaluate(`window.isStubborn = false; window.refusal = { wallet_switchEthereumChain: 4902 }`);
      await page.locator('#injected').click();
      await notice(page, 'does not switch to Sepolia');
      const methods = (await asked(page)).map(({ method }) => method);
      expect(methods).to.not.include('eth_sendTransaction');
      await page.evaluate(`window.refusal = { eth_sendTransaction: 4001 }`);
      await page.locator('#injected').click();
      await notice(page, 'Cancelled in the wallet');
      expect(await page.locator('#injected button').isEnabled()).to.equal(true);
      await picture(page, 'injected-cancelled');
    });
  });

  check('without an injected wallet, and on networks that have none, no button offers one', async () => {
    const { token_id } = await paymentIn(harness, 'waiting');
    await withPage(browser, {}, async (page) => {
      await page.goto(urlOf(token_id));
      expect(await page.locator('#injected').isVisible()).to.equal(false);
      await page.request.post(`${urlOf(token_id)}/coin`, { form: { coin: 'BTC', network: 'bitcoin' } });
      await page.addInitScript(WALLET);
      await page.goto(urlOf(token_id));
      expect(await page.locator('#injected').count()).to.equal(0);
    });
  });

  check('"Copied" is said only when it was: else the text is selected, and the page says so', async () => {
    const { token_id } = await paymentIn(harness, 'waiting');
    await withPage(browser, {}, async (page) => {
      await page.goto(urlOf(token_id));
      await page.evaluate(`
        Object.defineProperty(navigator, 'clipboard', { value: { writeText: () => Promise.reject(new Error()) } });
        document.execCommand = () => false`);
      await page.locator('#copy-address').click();
      await notice(page, 'This browser does not copy');
      expect(await page.locator('#copy-address').textContent()).to.not.include('Copied');
      expect(await page.evaluate('getSelection().toString()')).to.equal(
        await page.locator('#address').textContent(),
      );
    });
  });

  check('a changed coin keeps the focus, loads nothing again, and one Back leaves', async () => {
    const { token_id } = await paymentIn(harness, 'waiting');
    await withPage(browser, {}, async (page) => {
      const before_ = (await paymentIn(harness, 'settled')).token_id;
      await page.goto(urlOf(before_));
      await page.goto(urlOf(token_id));
      await page.evaluate('window.isSame = true');
      await page.locator('#chosen').click();
      await page.locator('#coin-USDT').click();
      await page.locator('#coin-USDT[aria-pressed=true]:focus').waitFor();
      // Nothing is left to choose: the row that opens the choice has the focus, and says what is chosen.
      for (const id of ['network-tron', 'coin-BTC']) {
        if ((await page.locator('#choice[open]').count()) === 0) await page.locator('#chosen').click();
        await page.locator(`#${id}`).click();
        await page.locator(`#${id}[aria-pressed=true]`).waitFor({ state: 'attached' });
        await page.locator('#choice:not([open]) > #chosen:focus').waitFor();
      }
      expect(await page.evaluate('window.isSame')).to.equal(true);
      await page.goBack();
      expect(page.url()).to.equal(urlOf(before_));
    });
  });

  check('a transaction id finds a payment that was not seen, and says what the network knows', async () => {
    const shop = await openShop(harness);
    const { id, token_id } = await createPayment(harness);
    const row = (await harness.ctx.db('payments').where({ id }).first('address')) as { address: string };
    const chain = harness.adapters.testChain(harness.ctx);
    const send = async (address: string) => {
      const request = { network: 'ethereum', coin: 'USDC', address, amount: '10.5' } as const;
      const [sent] = await chain.send(harness.ctx.db, [request], harness.ctx.now());
      return sent?.txHash ?? '';
    };
    await withPage(browser, { refused: '/transaction' }, async (page) => {
      const look = async (tx: string, says: string) => {
        await page.locator('#tx').fill(tx);
        await page.locator('#tx').press('Enter');
        await page.locator('#found', { hasText: says }).waitFor();
      };
      await page.goto(urlOf(token_id));
      await page.locator('#find > summary').click();
      await look('my order 12', 'This is no transaction id of Ethereum');
      expect(await violations(page)).to.deep.equal([]);
      await look(`0x${'ab'.repeat(32)}`, 'does not know this transaction');
      await look(await send(`0x${'12'.repeat(20)}`), 'pays another address');
      const hash = await send(row.address);
      await page.locator('#tx').fill(`https://explorer.example/tx/${hash.toUpperCase().replace('0X', '0x')}`);
      await page.locator('#tx').press('Enter');
      await page.locator('#said', { hasText: 'We have seen your payment' }).waitFor();
      await page.locator('#proof code', { hasText: hash }).waitFor();
      expect((await shop.payment(id)).status).to.equal('PENDING');
    });
  });

  check('offline it says so, and follows again at once when it is online', async () => {
    const { id, token_id } = await paymentIn(harness, 'waiting');
    await withPage(browser, { isCutOff: true }, async (page) => {
      // No timer leads back to the payment: what does it at once is the browser's word that it is online.
      await stopClock(page);
      await page.goto(urlOf(token_id));
      await page.context().setOffline(true);
      await page.locator('#offline', { hasText: 'You are offline' }).waitFor();
      await setColumns(harness, id, CHECKOUT_STATES.seen ?? {});
      await page.context().setOffline(false);
      await page.locator('#said', { hasText: 'We have seen your payment' }).waitFor();
      expect(await page.locator('#offline').isVisible()).to.equal(false);
    });
  });

  check('where no wallet opens, it says so once, and not where one has taken the focus', async () => {
    const { token_id } = await paymentIn(harness, 'waiting');
    for (const opens of [false, true])
      await withPage(browser, { opensWallet: true }, async (page) => {
        await page.addInitScript(OBSERVER);
        await openPaused(page, urlOf(token_id));
        const hint = page.locator('#unopened');
        await page.locator('#wallets > summary').click();
        await page.locator('#wallet').click();
        if (opens) await page.evaluate(`dispatchEvent(new Event('blur'))`);
        await page.clock.runFor(1_400);
        expect(await hint.isVisible()).to.equal(false);
        await page.clock.runFor(200);
        expect(await hint.isVisible()).to.equal(!opens);
        await page.clock.runFor(10_000);
        const says = [
          'Nothing opened? No wallet on this device answers. Scan the code, or copy amount and address.',
        ];
        expect(await page.evaluate<string[]>('window.heard')).to.deep.equal(opens ? [] : says);
        if (opens) return;
        // axe waits for timers of the page.
        await page.clock.resume();
        expect(await hint.textContent()).to.equal(says[0]);
        expect(await violations(page)).to.deep.equal([]);
        await picture(page, 'no-wallet-opened');
      });
  });

  check('the deadline is announced five minutes and one minute before it, once each', async () => {
    const { token_id } = await paymentIn(harness, 'waiting', { expiration_minutes: 10 });
    await withPage(browser, {}, async (page) => {
      await page.addInitScript(OBSERVER);
      await openPaused(page, urlOf(token_id));
      /** What was heard when so many seconds are left. */
      const atLeft = async (seconds: number) => {
        await page.clock.runFor((await page.evaluate<number>('endsAt - performance.now()')) - seconds * 1000);
        return page.evaluate<string[]>('window.heard');
      };
      expect(await atLeft(302)).to.deep.equal([]);
      // The page counts once a second, and this may be most of a second after it did.
      const expectClock = async (left: RegExp, tone: string) => {
        expect(await page.locator('#left').textContent()).to.match(left);
        expect(await page.locator('#left').getAttribute('class')).to.equal(tone);
      };
      await expectClock(/^5:0[23]$/, '');
      const [five, ...others] = await atLeft(298);
      await expectClock(/^4:5[89]$/, 'soon');
      expect(five).to.match(/^Pay within 5 minutes, by \S+ \S+\.$/);
      expect(others).to.deep.equal([]);
      expect(await atLeft(62)).to.deep.equal([five]);
      const [, one, ...more] = await atLeft(58);
      await expectClock(/^0:5[89]$/, 'last');
      expect(one).to.equal(five?.replace('5 minutes', '1 minute'));
      expect(more).to.deep.equal([]);
      expect(await atLeft(5)).to.deep.equal([five, one]);
    });
  });

  for (const viewport of [
    { width: 360, height: 740 },
    { width: 1366, height: 768 },
  ])
    check(
      `${viewport.width} pixels: a whole payment announces each state once, and no block, and nothing jumps`,
      async () => {
        const { id, token_id } = await paymentIn(harness, 'waiting');
        // A server of its own, which serves this page alone.
        const own = await listen(harness.app);
        try {
          await withPage(browser, { viewport }, async (page) => {
            await page.addInitScript(OBSERVER);
            let pages = 0;
            page.on('request', (request) => {
              if (new URL(request.url()).pathname.endsWith(token_id)) pages += 1;
            });
            await page.goto(`${own.url}/checkout/${token_id}`);
            const said = (hasText: string) => page.locator('#said', { hasText }).waitFor();
            await setColumns(harness, id, CHECKOUT_STATES.seen ?? {});
            await said('We have seen your payment');
            for (let confirmations = 1; confirmations <= 11; confirmations += 1) {
              await setColumns(harness, id, { confirmations });
              await said(`Confirming: ${confirmations} of 12`);
              expect(await page.locator('#bar').getAttribute('value')).to.equal(String(confirmations));
            }
            await setColumns(harness, id, CHECKOUT_STATES.converting ?? {});
            await said('now converting');
            await setColumns(harness, id, CHECKOUT_STATES.settled ?? {});
            await said('Paid. Thank you!');
            const heard = await page.evaluate<string[]>('window.heard');
            const starts = ['We have seen', 'Confirming', 'Confirmed, now', 'Paid.', 'You are taken back'];
            expect(heard.map((text, index) => text.startsWith(starts[index] ?? '?'))).to.deep.equal(
              starts.map(() => true),
            );
            expect(pages, 'the page is loaded once: events carry what changed').to.equal(1);
            expect(await page.evaluate<number>('window.shift')).to.be.at.most(0.1);
            expect(own.sentBytes(), 'headers and the script included').to.be.within(10_000, 59_999);
          });
        } finally {
          await own.close();
        }
      },
    );

  check(
    'numbers and dates follow the language: 1.000 USDC is no thousand, and is copied as it is',
    async () => {
      const { token_id } = await createPayment(harness, { pay_amount: '1.000' });
      await withPage(browser, { permissions: ['clipboard-read', 'clipboard-write'] }, async (page) => {
        await page.goto(urlOf(token_id, '?lang=de'));
        expect(await page.locator('#amount').textContent()).to.equal('1,000');
        expect(await page.locator('.price bdi').textContent()).to.equal('1,000 USDC');
        await page.locator('#copy-amount').click();
        await page.locator('#heard', { hasText: 'Kopiert' }).waitFor({ state: 'attached' });
        expect(await page.evaluate('navigator.clipboard.readText()')).to.equal('1.000');
      });
    },
  );

  check('is compressed, with an ETag', async () => {
    const { token_id } = await paymentIn(harness, 'waiting');
    for (const encoding of ['br', 'gzip']) {
      const { headers } = await fetch(urlOf(token_id), { headers: { 'Accept-Encoding': encoding } });
      expect(headers.get('content-encoding')).to.equal(encoding);
      expect(headers.get('vary')).to.include('Accept-Encoding');
      const etag = headers.get('etag') ?? '';
      expect(etag).to.match(/^W\/"[\w-]{22}"$/);
    }
  });
});
