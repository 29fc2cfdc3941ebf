import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { CHECKOUT_STATES, paymentIn, setColumns } from '../support/checkout.ts';
import type { Harness } from '../support/harness.ts';
import type { Listening } from '../support/http.ts';
import { overflow, violations } from './axe.ts';
import { picture, withPage } from './browser.ts';
import { OBSERVER } from './observer.ts';
import { showPages } from './pages.ts';

/** A green square; the last one would run a script and load an image, if it could. */
const ICONS = {
  svg: `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" width="96" height="96"><rect width="96" height="96" fill="green"/></svg>')}`,
  png: 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  script: `data:image/svg+xml,${encodeURIComponent(
    '<svg xmlns="http://www.w3.org/2000/svg" onload="parent.evil=1"><script>top.evil=1</script><image href="https://evil.example/a.png"/></svg>',
  )}`,
};

interface Announced {
  readonly uuid?: unknown;
  readonly name?: unknown;
  readonly icon?: unknown;
}

/**
 * Wallets that announce themselves (EIP-6963), on the main network. `window.refusal` says by method with
 * which error the next request ends, `window.hold` which method waits for `window.go`, and `window.answer`
 * what is said of a transaction, and `window.chain` the chain that is chosen by hand.
 */
const walletsOf = (wallets: readonly Announced[]) => `
  window.asked = [];
  window.refusal = {};
  const wallets = ${JSON.stringify(wallets)}.map((info) => {
    let chain = '0x1';
    return { info, provider: { request: async ({ method, params }) => {
      window.asked.push({ wallet: info.name, method, params });
      if (window.hold === method) await new Promise((go) => { window.go = go; });
      const error = window.refusal[method];
      if (error) { delete window.refusal[method]; throw Object.assign(new Error(''), error); }
      if (method === 'eth_requestAccounts') return ['0x00000000000000000000000000000000000000aa'];
      if (method === 'wallet_switchEthereumChain') { chain = params[0].chainId; return null; }
      if (method === 'eth_chainId') return window.chain ?? chain;
      return method === 'eth_sendTransaction' ? window.answer ?? '0x' + 'AB'.repeat(32) : null;
    } } };
  });
  window.announceWallets = () => {
    for (const detail of wallets)
      dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: Object.freeze(detail) }));
  };
  addEventListener('eip6963:requestProvider', window.announceWallets);`;

const TWO: readonly Announced[] = [
  { uuid: 'a', name: 'Fox', icon: ICONS.svg },
  { uuid: 'b', name: 'Rabbit', icon: ICONS.png },
];

interface Asked {
  readonly wallet: string;
  readonly method: string;
  readonly params?: readonly Record<string, unknown>[];
}

describe('the wallets in the browser that announce themselves', () => {
  let harness: Harness;
  let server: Listening;
  let browser: Browser;
  const check = showPages((opened) => ({ harness, server, browser } = opened));

  const withWallets = async (
    wallets: readonly Announced[],
    use: (page: Page, url: string) => Promise<void>,
    options: Parameters<typeof withPage>[1] = {},
  ) => {
    const { token_id } = await paymentIn(harness, 'waiting');
    const url = `${server.url}/checkout/${token_id}`;
    await withPage(browser, options, async (page) => {
      await page.addInitScript(walletsOf(wallets));
      await page.addInitScript(OBSERVER);
      await page.goto(url);
      await use(page, url);
    });
  };
  const wallet = (page: Page, name: string) => page.getByRole('button', { name });
  const asked = (page: Page) => page.evaluate<Asked[]>('window.asked');
  const heard = (page: Page) => page.evaluate<string[]>('window.heard');
  const methods = async (page: Page) => (await asked(page)).map(({ method }) => method);
  const refuse = (page: Page, method: string, error: object) =>
    page.evaluate(`window.refusal[${JSON.stringify(method)}] = ${JSON.stringify(error)}`);
  const notice = (page: Page, hasText: string) => page.locator('#notice', { hasText }).waitFor();
  const saysSent = (page: Page) =>
    page.locator('#said', { hasText: 'Sent. Waiting for the network' }).waitFor();

  check('are a button each, with name and icon; who is clicked is asked, and nobody else', async () => {
    await withWallets(TWO, async (page) => {
      for (const name of ['Fox', 'Rabbit']) await wallet(page, `Pay with ${name}`).waitFor();
      expect(await page.locator('#injected button').count()).to.equal(2);
      const icons = page.locator('#injected img');
      expect(await icons.count()).to.equal(2);
      // Rejects for an image that is none.
      await icons.evaluateAll((all) =>
        Promise.all(all.map((one) => (one as unknown as { decode(): Promise<void> }).decode())),
      );
      expect(await overflow(page)).to.equal(0);
      expect(await violations(page)).to.deep.equal([]);
      await picture(page, 'wallets-announced');
      await wallet(page, 'Pay with Rabbit').click();
      await saysSent(page);
      const all = await asked(page);
      expect(new Set(all.map((one) => one.wallet))).to.deep.equal(new Set(['Rabbit']));
      expect(all.at(-1)?.method).to.equal('eth_sendTransaction');
    });
  });

  check(
    'say that they ask: one button is busy and none can be clicked, until the wallet answers',
    async () => {
      await withWallets(TWO, async (page) => {
        await page.evaluate(`window.hold = 'eth_requestAccounts'`);
        await wallet(page, 'Pay with Fox').click();
        const busy = page.locator('#injected [aria-busy=true]', { hasText: 'Confirm it in the wallet' });
        await busy.waitFor();
        expect(await heard(page)).to.deep.equal(['Confirm it in the wallet']);
        expect(await violations(page)).to.deep.equal([]);
        await picture(page, 'wallet-busy');
        await wallet(page, 'Pay with Rabbit').click({ force: true });
        await busy.click({ force: true });
        expect(await methods(page)).to.deep.equal(['eth_requestAccounts']);
        // Nor can another wallet be asked for the same money by a link.
        for (const link of ['#wallets', '#wallet'])
          expect(await page.locator(`${link}[inert]`).count(), link).to.equal(1);
        await page.locator('#wallets > summary').click({ force: true });
        expect(await page.locator('#wallets[open]').count()).to.equal(0);
        await page.locator('#injected-0').focus();
        await page.evaluate(`window.refusal.eth_requestAccounts = { code: 4001 }; window.go()`);
        await notice(page, 'Cancelled in the wallet. Nothing was sent.');
        await page.locator('#injected-0:focus', { hasText: 'Pay with Fox' }).waitFor();
        expect(await page.locator('#injected [aria-disabled], [inert]').count()).to.equal(0);
      });
    },
  );

  check('break nothing with what they are called and show: it is foreign', async () => {
    const many = Array.from({ length: 300 }, (_, index) => ({ uuid: `many-${index}`, name: 'x' }));
    const wallets: Announced[] = [
      {
        uuid: '1',
        name: `<img src=x onerror=top.evil=1>${'W'.repeat(100_000)}`,
        icon: 'https://evil.example/i.png',
      },
      { uuid: '2', name: '\u202eevil\n\n\u2066name\u0000', icon: 'javascript:top.evil=1' },
      {
        uuid: '3',
        name: 'Z\u0301'.padEnd(400, '\u0301'),
        icon: 'data:text/html,<script>top.evil=1</script>',
      },
      { uuid: '4', name: 'Script', icon: ICONS.script },
      { uuid: '5', name: 'Giant', icon: `data:image/png;base64,${'A'.repeat(300_000)}` },
      { uuid: '1', name: 'Behind another name', icon: ICONS.png },
      { uuid: 6, name: 'No id' },
      { uuid: '7', name: { toString: 'x' }, icon: [] },
      ...many,
    ];
    await withWallets(wallets, async (page) => {
      await page.locator('#injected-7').waitFor();
      await page.evaluate('window.announceWallets()');
      expect(await page.locator('#injected button').count()).to.equal(8);
      const labels = await page.locator('#injected button').allTextContents();
      expect(labels[0]).to.equal('Pay with <img src=x onerror=top.evil=1>WW…');
      expect(labels[1]).to.equal('Pay with evil name');
      expect(labels[5]).to.equal('Pay with the wallet in this browser');
      expect(labels.join()).to.not.include('Behind another').and.not.include('No id');
      expect(await page.locator('#injected img').count(), 'the SVG as an image').to.equal(1);
      expect(await page.evaluate('window.evil')).to.equal(undefined);
      expect(await overflow(page)).to.equal(0);
      const { height = 0 } = (await page.locator('#injected-2').boundingBox()) ?? {};
      expect(height).to.be.below(100);
      await picture(page, 'wallets-hostile');
    });
  });

  for (const [how, error] of [
    ['plainly', { code: 4902 }],
    ['within the error of another', { code: -32603, data: { originalError: { code: 4902 } } }],
  ] as const)
    check(`learn of a chain that they do not know (said ${how}), and pay on it`, async () => {
      await withWallets(TWO, async (page) => {
        await refuse(page, 'wallet_switchEthereumChain', error);
        await wallet(page, 'Pay with Fox').click();
        await saysSent(page);
        expect(await methods(page)).to.deep.equal([
          'eth_requestAccounts',
          'wallet_switchEthereumChain',
          'wallet_addEthereumChain',
          'wallet_switchEthereumChain',
          'eth_chainId',
          'eth_sendTransaction',
        ]);
        expect((await asked(page))[2]?.params).to.deep.equal([
          {
            chainId: '0xaa36a7',
            chainName: 'Sepolia',
            nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
            rpcUrls: ['https://ethereum-sepolia-rpc.publicnode.com'],
            blockExplorerUrls: ['https://sepolia.etherscan.io'],
          },
        ]);
      });
    });

  for (const [what, method, error, says] of [
    ['rejected', 'eth_sendTransaction', { code: 4001 }, 'Cancelled in the wallet. Nothing was sent.'],
    ['still asked', 'eth_requestAccounts', { code: -32002 }, 'The wallet already has an open request.'],
    [
      'too poor',
      'eth_sendTransaction',
      { code: -32000, message: 'insufficient funds for gas * price + value' },
      'The wallet has too little for this amount and the network’s fee. Nothing was sent.',
    ],
    [
      'too poor, as wallets wrap it',
      'eth_sendTransaction',
      { code: -32603, data: { code: -32000, message: 'insufficient funds for transfer' } },
      'The wallet has too little',
    ],
    [
      'unable to add the chain',
      'wallet_addEthereumChain',
      { code: -32601, message: 'no such method' },
      'The wallet does not switch to Sepolia. Nothing was sent',
    ],
  ] as const)
    check(`are ${what}: the page says so, and offers them again`, async () => {
      await withWallets(TWO, async (page) => {
        if (method === 'wallet_addEthereumChain')
          await refuse(page, 'wallet_switchEthereumChain', { code: 4902 });
        await refuse(page, method, error);
        await wallet(page, 'Pay with Fox').click();
        await notice(page, says);
        await picture(page, `wallet-${what.replaceAll(/\W+/g, '-')}`);
        await wallet(page, 'Pay with Fox').click();
        await saysSent(page);
      });
    });

  check('are not offered again where a node says that it has the transaction: it may be sent', async () => {
    await withWallets(TWO, async (page) => {
      await refuse(page, 'eth_sendTransaction', { code: -32000, message: 'already known' });
      await wallet(page, 'Pay with Fox').click();
      await notice(page, 'The wallet did not say whether it sent this.');
      expect(await page.locator('#injected button').count()).to.equal(0);
    });
  });

  check(
    'have sent it: every tab says so at once, and keeps amount, address and code for who did not',
    async () => {
      await withWallets(TWO, async (page, url) => {
        const other = await page.context().newPage();
        await other.addInitScript(walletsOf(TWO));
        await other.goto(url);
        await wallet(other, 'Pay with Fox').waitFor();
        await wallet(page, 'Pay with Fox').click();
        for (const tab of [page, other]) {
          await saysSent(tab);
          expect(await tab.locator('#pay .hash').textContent()).to.equal(`0x${'ab'.repeat(32)}`);
          for (const id of ['amount', 'address', 'wallet', 'show-code', 'injected'])
            expect(await tab.locator(`#${id}`).isVisible(), id).to.equal(false);
        }
        expect((await heard(page)).join()).to.include('Sent. Waiting for the network');
        await page.reload();
        await saysSent(page);
        await page.locator('#unsent > summary').click();
        for (const id of ['amount', 'address', 'wallets', 'show-code'])
          expect(await page.locator(`#${id}`).isVisible(), id).to.equal(true);
        expect(await violations(page)).to.deep.equal([]);
        // Who did not send it pays now, and the page is as before.
        await wallet(page, 'Pay with Rabbit').click();
        await page.locator('#unsent:not([open])').waitFor();
        expect((await methods(page)).at(-1)).to.equal('eth_sendTransaction');
      });
    },
  );

  check('send nothing where another tab was quicker', async () => {
    await withWallets(TWO, async (page, url) => {
      const other = await page.context().newPage();
      await other.addInitScript(walletsOf(TWO));
      await other.goto(url);
      await other.evaluate(`window.hold = 'eth_requestAccounts'`);
      await wallet(other, 'Pay with Fox').click();
      await wallet(page, 'Pay with Fox').click();
      await saysSent(page);
      await saysSent(other);
      await other.evaluate('window.go()');
      await other.locator('#injected:not(:has([aria-busy]))').waitFor({ state: 'attached' });
      expect(await methods(other)).to.not.include('eth_sendTransaction');
    });
  });

  check(
    'have sent it while the service was away: nothing is offered, and it is named once it is there',
    async () => {
      await withWallets(
        TWO,
        async (page, url) => {
          let isAway = true;
          await page.route('**/transaction', (route) => (isAway ? route.abort() : route.continue()));
          await wallet(page, 'Pay with Fox').click();
          await notice(page, 'Sent. This page shows it as soon as the network does.');
          expect(
            await page.locator('#injected, #wallets, #wallet').filter({ visible: true }).count(),
          ).to.equal(0);
          await page.reload();
          await notice(page, 'Sent. This page shows it as soon as the network does.');
          isAway = false;
          await page.evaluate(`dispatchEvent(new Event('online'))`);
          await saysSent(page);
          expect(await (await page.request.get(url)).text()).to.include('ab'.repeat(32));
          expect(await page.evaluate('sessionStorage.length')).to.equal(0);
        },
        { isCutOff: true },
      );
    },
  );

  check(
    'are asked for nothing once they are on another chain, also while the page reads what is due',
    async () => {
      await withWallets(TWO, async (page, url) => {
        await wallet(page, 'Pay with Fox').waitFor();
        await page.route(url, async (route) => {
          await page.evaluate(`window.chain = '0x1'`);
          await route.continue();
        });
        await wallet(page, 'Pay with Fox').click();
        await notice(page, 'The wallet does not switch to Sepolia. Nothing was sent');
        expect(await methods(page)).to.not.include('eth_sendTransaction');
      });
    },
  );

  check('have sent it without naming it: they are offered again once the page shows one more', async () => {
    await withWallets(TWO, async (page) => {
      await page.evaluate(`window.answer = 'accepted'`);
      await wallet(page, 'Pay with Fox').click();
      await notice(page, 'Sent. This page shows it as soon as the network does.');
      expect(await page.locator('#injected button').count()).to.equal(0);
      await page.locator('#simulate-half').click();
      await page.locator('#said', { hasText: 'Part of your payment is here' }).waitFor();
      await wallet(page, 'Pay with Fox').waitFor();
    });
  });

  check('stop nothing where reading them throws: the page goes on', async () => {
    const { id, token_id } = await paymentIn(harness, 'waiting');
    await withPage(browser, {}, async (page) => {
      await page.addInitScript(
        `Object.defineProperty(window, 'ethereum', { get() { throw new Error('hostile'); } })`,
      );
      await page.goto(`${server.url}/checkout/${token_id}`);
      await page.locator('#copy-address').waitFor();
      await setColumns(harness, id, CHECKOUT_STATES.seen ?? {});
      await page.locator('#said', { hasText: 'We have seen your payment' }).waitFor();
    });
  });

  for (const [width, colorScheme, language] of [
    [360, 'light', 'en'],
    [360, 'dark', 'ar'],
    [1280, 'light', 'ja'],
    [1280, 'dark', 'en'],
  ] as const)
    check(`have sent it: the page holds it, ${width} ${colorScheme} ${language}`, async () => {
      await withPage(browser, { width, colorScheme }, async (page) => {
        const { token_id } = await paymentIn(harness, 'sent');
        await page.addInitScript(walletsOf(TWO));
        await page.goto(`${server.url}/checkout/${token_id}?lang=${language}`);
        await page.locator('#unsent').waitFor();
        await picture(page, `sent-${width}-${colorScheme}-${language}`);
        await page.locator('#unsent > summary').click();
        await page.locator('#injected-1').waitFor();
        expect(await overflow(page)).to.equal(0);
        expect(await violations(page)).to.deep.equal([]);
        await picture(page, `sent-open-${width}-${colorScheme}-${language}`);
      });
    });
});
