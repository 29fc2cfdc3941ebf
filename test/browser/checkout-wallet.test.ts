import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { decimalsOf, type CoinId } from '../../src/domain/chain/coins.ts';
import { NETWORKS, type NetworkId } from '../../src/domain/chain/networks.ts';
import { ERC20_CODE, findAnvil, startAnvil, TRANSFER_TOPIC, wordOf, type Anvil } from '../support/anvil.ts';
import { paymentIn } from '../support/checkout.ts';
import type { Harness } from '../support/harness.ts';
import type { Listening } from '../support/http.ts';
import { until } from '../support/until.ts';
import { picture, withPage } from './browser.ts';
import { showPages } from './pages.ts';

/** Forwards every request of the page to the wallet in this process. */
const PROVIDER = `window.ethereum = { request: async (asked) => {
  const { result, error } = await window.askWallet(asked);
  if (error) throw Object.assign(new Error(error.message), error);
  return result;
} };`;

interface Asked {
  readonly method: string;
  readonly params?: readonly Record<string, string>[];
}

interface Transaction {
  readonly to: string;
  readonly value: string;
}

interface Receipt {
  readonly status: string;
  readonly logs: readonly { address: string; topics: readonly string[]; data: string }[];
}

const [MAIN, SEPOLIA, AMOY] = [1, 11_155_111, 80_002];

describe('an injected wallet whose chains are real nodes', () => {
  let harness: Harness;
  let server: Listening;
  let browser: Browser;
  const nodes = new Map<number, Anvil>();

  before(async function () {
    const binary = findAnvil();
    if (binary === null) {
      console.log(
        `    pending: there is no anvil for ${process.platform} ${process.arch}; name one in ANVIL`,
      );
      this.skip();
    }
    for (const chain of [MAIN, SEPOLIA, AMOY]) nodes.set(chain, await startAnvil(binary, chain));
  });
  after(() => Promise.all([...nodes.values()].map((node) => node.close())));
  showPages((opened) => ({ harness, server, browser } = opened));

  const nodeOf = (chain: number): Anvil => {
    const node = nodes.get(chain);
    if (node === undefined) throw new Error(`no node of chain ${chain}`);
    return node;
  };
  const heights = () =>
    Promise.all([MAIN, SEPOLIA, AMOY].map((chain) => nodeOf(chain).rpc<string>('eth_blockNumber')));
  const notice = (page: Page, hasText: string | RegExp) => page.locator('#notice', { hasText }).waitFor();

  const saysSent = (page: Page) =>
    page.locator('#said', { hasText: 'Sent. Waiting for the network' }).waitFor();

  /** A wallet on the main network that signs with the nodes' first account. */
  const openWallet = async (page: Page, knows: readonly number[] = [MAIN, SEPOLIA, AMOY]) => {
    const asked: Asked[] = [];
    const refused = new Map<string, number>();
    const held = new Map<string, Promise<void>>();
    const hashes: string[] = [];
    let chain = MAIN;
    const respond = async ({ method, params = [] }: Asked): Promise<unknown> => {
      asked.push({ method, params });
      await held.get(method);
      const code = refused.get(method);
      if (code !== undefined) throw Object.assign(new Error('refused by the user'), { code });
      if (method === 'eth_requestAccounts') return nodeOf(chain).rpc('eth_accounts');
      // As wallets do: what the chain would refuse is not sent.
      if (method === 'eth_sendTransaction') {
        await nodeOf(chain).rpc('eth_estimateGas', params);
        hashes.push(await nodeOf(chain).rpc<string>(method, params));
        return hashes.at(-1);
      }
      if (method !== 'wallet_switchEthereumChain') return nodeOf(chain).rpc(method, params);
      const wanted = Number(params[0]?.chainId);
      if (!knows.includes(wanted)) throw Object.assign(new Error('unknown chain'), { code: 4902 });
      chain = wanted;
      return null;
    };
    await page.exposeFunction('askWallet', (request: Asked) =>
      respond(request).then(
        (result) => ({ result }),
        (error: { code: number; message: string }) => ({
          error: { code: error.code, message: error.message },
        }),
      ),
    );
    await page.addInitScript(PROVIDER);
    return { asked, refused, held, hashes };
  };

  /** A page that asks for a coin on a network, with an injected wallet. */
  const withWallet = async (
    [coin, network]: readonly [CoinId, NetworkId],
    use: (page: Page, wallet: Awaited<ReturnType<typeof openWallet>>) => Promise<void>,
    knows?: readonly number[],
  ) => {
    const { token_id } = await paymentIn(harness, 'waiting');
    const url = `${server.url}/checkout/${token_id}`;
    await withPage(browser, {}, async (page) => {
      const wallet = await openWallet(page, knows);
      await page.request.post(`${url}/coin`, { form: { coin, network } });
      await page.goto(url);
      await use(page, wallet);
    });
  };
  const shownAddress = async (page: Page) => (await page.locator('#address').textContent()) ?? '';
  /** What the page asks for, in the coin's smallest units. */
  const shownUnits = async (page: Page, coin: CoinId, network: NetworkId) => {
    const [whole = '', fraction = ''] = ((await page.locator('#amount').textContent()) ?? '').split('.');
    return BigInt(`${whole}${fraction.padEnd(decimalsOf(coin, network), '0')}`);
  };
  /** The one transaction that a wallet has sent to a chain, once a block holds it. */
  const mined = async (node: Anvil, hashes: readonly string[]) => {
    expect(hashes).to.have.length(1);
    let receipt: Receipt | null = null;
    await until('the transaction is mined', async () => {
      receipt = await node.rpc<Receipt | null>('eth_getTransactionReceipt', [...hashes]);
      return receipt !== null;
    });
    const transaction = await node.rpc<Transaction>('eth_getTransactionByHash', [...hashes]);
    return { ...transaction, ...(receipt as unknown as Receipt) };
  };
  /** Puts the page's token on a chain, with a balance of the nodes' first account. */
  const deployToken = async (page: Page, node: Anvil, balance: bigint) => {
    const contract = (await page.locator('#injected').getAttribute('data-to')) ?? '';
    const [holder = ''] = await node.rpc<string[]>('eth_accounts');
    await node.rpc('anvil_setCode', [contract, ERC20_CODE]);
    await node.rpc('anvil_setStorageAt', [contract, wordOf(holder), wordOf(balance)]);
    const balanceOf = async (account: string) =>
      BigInt(
        await node.rpc<string>('eth_call', [
          { to: contract, data: `0x70a08231${wordOf(account).slice(2)}` },
          'latest',
        ]),
      );
    return { contract, holder, balanceOf };
  };

  for (const [coin, network, amount] of [
    ['USDC', 'ethereum', 10_500_000n],
    ['DAI', 'polygon', null],
  ] as const)
    it(`pays ${coin} on ${network} with one click: the chain logs the payment's address and amount`, async () => {
      await withWallet([coin, network], async (page, { asked, hashes }) => {
        const chain = NETWORKS[network].testChainId;
        const node = nodeOf(chain);
        const units = await shownUnits(page, coin, network);
        if (amount !== null) expect(units).to.equal(amount);
        const token = await deployToken(page, node, units);
        const [address, before] = [await shownAddress(page), await heights()];
        await page.locator('#injected').click();
        await saysSent(page);
        const { to, value, status, logs } = await mined(node, hashes);
        expect([to, value]).to.deep.equal([token.contract.toLowerCase(), '0x0']);
        expect(status).to.equal('0x1');
        expect(logs.map(({ address: by, topics, data }) => [by, topics, data])).to.deep.equal([
          [
            token.contract.toLowerCase(),
            [TRANSFER_TOPIC, wordOf(token.holder), wordOf(address)],
            wordOf(units),
          ],
        ]);
        expect(await token.balanceOf(address)).to.equal(units);
        expect(await token.balanceOf(token.holder)).to.equal(0n);
        expect(asked.map(({ method }) => method)).to.deep.equal([
          'eth_requestAccounts',
          'wallet_switchEthereumChain',
          'eth_chainId',
          'eth_sendTransaction',
        ]);
        const moved = (await heights()).map((height, index) => Number(height) - Number(before[index]));
        expect(moved, 'one block, on the right chain').to.deep.equal(
          [MAIN, SEPOLIA, AMOY].map((one) => (one === chain ? 1 : 0)),
        );
      });
    });

  for (const [coin, network] of [
    ['ETH', 'ethereum'],
    ['POL', 'polygon'],
  ] as const)
    it(`pays ${coin}, the coin of ${network} itself: the address holds exactly the amount`, async () => {
      await withWallet([coin, network], async (page, { hashes }) => {
        const node = nodeOf(NETWORKS[network].testChainId);
        const [address, units] = [await shownAddress(page), await shownUnits(page, coin, network)];
        expect(BigInt(await node.rpc<string>('eth_getBalance', [address, 'latest']))).to.equal(0n);
        await page.locator('#injected').click();
        await saysSent(page);
        const { to, value, status } = await mined(node, hashes);
        expect([to, BigInt(value)]).to.deep.equal([address.toLowerCase(), units]);
        expect(status).to.equal('0x1');
        expect(BigInt(await node.rpc<string>('eth_getBalance', [address, 'latest']))).to.equal(units);
        expect(await page.locator('#injected').isVisible(), 'a second click pays twice').to.equal(false);
      });
    });

  it('sends nothing on any chain when the wallet does not know the right one, and says so', async () => {
    await withWallet(
      ['ETH', 'ethereum'],
      async (page, { asked }) => {
        const before = await heights();
        await page.locator('#injected').click();
        await notice(page, 'does not switch to Sepolia');
        expect(asked.map(({ method }) => method)).to.deep.equal([
          'eth_requestAccounts',
          'wallet_switchEthereumChain',
          'wallet_addEthereumChain',
        ]);
        expect(await heights()).to.deep.equal(before);
        expect(await page.locator('#injected button').isEnabled()).to.equal(true);
        await picture(page, 'wallet-without-the-chain');
      },
      [MAIN],
    );
  });

  for (const method of ['eth_requestAccounts', 'wallet_switchEthereumChain', 'eth_sendTransaction'])
    it(`says that nothing was sent when the customer refuses ${method}, and pays at the next click`, async () => {
      await withWallet(['ETH', 'ethereum'], async (page, { refused, hashes }) => {
        const before = await heights();
        const address = await shownAddress(page);
        refused.set(method, 4001);
        await page.locator('#injected').click();
        await notice(page, 'Cancelled in the wallet. Nothing was sent.');
        expect(await heights()).to.deep.equal(before);
        refused.clear();
        await page.locator('#injected').click();
        await saysSent(page);
        const { to } = await mined(nodeOf(SEPOLIA), hashes);
        expect(to).to.equal(address.toLowerCase());
      });
    });

  /** A promise, and what ends it. */
  const gate = () => {
    let open = () => {};
    const closed = new Promise<void>((resolve) => void (open = resolve));
    return { closed, open: () => open() };
  };
  const asks = (wallet: { asked: readonly Asked[] }, method: string) =>
    until(method, () => Promise.resolve(wallet.asked.at(-1)?.method === method));

  it('sends what is asked for when the wallet has answered, not what was when it was asked', async () => {
    await withWallet(['ETH', 'ethereum'], async (page, wallet) => {
      const { closed, open } = gate();
      wallet.held.set('eth_requestAccounts', closed);
      const whole = await shownUnits(page, 'ETH', 'ethereum');
      await page.locator('#injected').click();
      await asks(wallet, 'eth_requestAccounts');
      await page.request.post(`${page.url()}/simulate`, { form: { do: 'half' } });
      open();
      await saysSent(page);
      const { value } = await mined(nodeOf(SEPOLIA), wallet.hashes);
      expect(BigInt(value)).to.equal(whole / 2n);
    });
  });

  it('is put away once it was sent, after a reload and in another tab, and until its own chain shows it', async () => {
    await withWallet(['ETH', 'ethereum'], async (page, { hashes }) => {
      await page.locator('#injected').click();
      await saysSent(page);
      await mined(nodeOf(SEPOLIA), hashes);
      const other = await page.context().newPage();
      await other.goto(page.url());
      await page.reload();
      for (const tab of [page, other]) {
        await saysSent(tab);
        expect(await tab.locator('#pay .hash').textContent()).to.equal(hashes[0]);
        expect(await tab.locator('#injected, #wallets, #wallet').filter({ visible: true }).count()).to.equal(
          0,
        );
      }
      // The simulated chain has another transaction: this one is still to come.
      await page.request.post(`${page.url()}/simulate`, { form: { do: 'half' } });
      await page.locator('#proof .hash').waitFor();
      await saysSent(page);
      expect(await page.evaluate('sessionStorage.length')).to.equal(0);
    });
  });

  it('is not offered again after a reload while the wallet asks the customer, nor called sent', async () => {
    await withWallet(['ETH', 'ethereum'], async (page, wallet) => {
      const { closed, open } = gate();
      wallet.held.set('eth_sendTransaction', closed);
      await page.locator('#injected').click();
      await asks(wallet, 'eth_sendTransaction');
      await page.reload();
      await notice(page, 'The wallet did not confirm this. Please look there before you send again.');
      expect(await page.locator('#injected, #wallets, #wallet').filter({ visible: true }).count()).to.equal(
        0,
      );
      open();
    });
  });

  it('offers nothing again where the wallet may have sent it, until the page is loaded again', async () => {
    await withWallet(['ETH', 'ethereum'], async (page, { refused, asked }) => {
      // An internal error: the wallet's node did not answer in time, or the wallet was closed.
      refused.set('eth_sendTransaction', -32_603);
      await page.locator('#injected').click();
      await notice(page, 'The wallet did not say whether it sent this. Look there first');
      expect(await page.locator('#injected, #wallets, #wallet').filter({ visible: true }).count()).to.equal(
        0,
      );
      await picture(page, 'wallet-unsure');
      await page.reload();
      await page.locator('#injected:visible').waitFor();
      expect(asked.filter(({ method }) => method === 'eth_sendTransaction')).to.have.length(1);
    });
  });

  it('does not say "sent" when the chain refuses: the wallet has too little of the token', async () => {
    await withWallet(['USDC', 'ethereum'], async (page) => {
      const token = await deployToken(page, nodeOf(SEPOLIA), 10_499_999n);
      const address = await shownAddress(page);
      await page.locator('#injected').click();
      await notice(page, 'The wallet did not confirm this.');
      expect(await token.balanceOf(address)).to.equal(0n);
      expect(await token.balanceOf(token.holder)).to.equal(10_499_999n);
      expect(await page.locator('#injected button').isEnabled()).to.equal(true);
    });
  });
});
