import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { expect } from 'chai';
import { sum } from '../../src/platform/values/money.ts';
import { useEvmStand } from '../support/evm-stand.ts';
import { serveKraken, type ServedKraken } from '../support/kraken.ts';
import { serveRates, type ServedRates } from '../support/rate-sites.ts';
import { until } from '../support/until.ts';
import { createLiveStand, type LiveStand, type Ordered } from './live-stand.ts';
import { startProcess, type Service } from './service.ts';

/** Each process has what the Procfile gives it; the exchange is a stand-in. */
describe('a live payment that is sold at an exchange, by web, two workers and watcher', function () {
  this.timeout(180_000);
  const node = useEvmStand();
  let kraken: ServedKraken;
  let stand: LiveStand;
  let rates: ServedRates;
  beforeEach(async () => {
    kraken = await serveKraken(() => new Date());
    const env = { KRAKEN_URL: kraken.url, LOG_LEVEL: 'debug' };
    [stand, rates] = await Promise.all([createLiveStand(env), serveRates(new Date())]);
  });
  afterEach(async () => {
    await Promise.all([stand.close(), rates.close()]);
    await kraken.close();
  });

  const merchants = async (args: string[], input?: string) => {
    const own = ['--merchant', stand.live.merchant_id];
    const more = input === undefined ? {} : { input };
    const command = startProcess('merchants', stand.env, [...args, ...own], more);
    expect(await command.ended(), command.output()).to.equal(0);
    return command;
  };
  /** Web knows of an account some seconds after it is set. */
  const orderAtExchange = async (amount: string) => {
    let order: Ordered | null = null;
    await until('a payment has an address of the exchange', async () => {
      order = await stand.order(amount);
      return kraken.account.addresses.USDC?.includes(order.address) ?? false;
    });
    return order ?? (await stand.order(amount));
  };

  it('settles once where its worker is killed while the exchange takes the order, and shows no key', async () => {
    const { key, secret } = kraken.account;
    await merchants(['set-accepted-methods', '--methods', 'ETH/ethereum']);
    const command = await merchants(['exchange', 'set'], `${key}\n${secret}\n`);
    const sites = Object.entries(rates.urls).map(([site, url]) => [`RATE_URL_${site.toUpperCase()}`, url]);
    const env = { ...Object.fromEntries(sites), RPC_URLS_ETHEREUM: node().anvil.url };
    const watcher = await stand.startWatcher(env);
    const { id, checkout_url } = await orderAtExchange('27');
    const form = new URL(`${checkout_url}/coin`);
    await until('ether is quoted', async () => {
      const { status } = await fetch(`http://127.0.0.1:${stand.web.port}${form.pathname}`, {
        method: 'POST',
        redirect: 'manual',
        headers: { Origin: form.origin },
        body: new URLSearchParams({ coin: 'ETH', network: 'ethereum' }),
      });
      return status === 303;
    });
    const asked = 'SELECT address, crypto_amount FROM payments WHERE id = ?';
    const [{ address, crypto_amount } = { address: '', crypto_amount: '' }] = await stand.rows<{
      address: string;
      crypto_amount: string;
    }>(asked, [id]);
    // 27 dollars at 3,000 for an ether.
    expect([kraken.account.addresses.ETH?.includes(address), crypto_amount]).to.deep.equal([true, '0.009']);

    kraken.fault = (method, times) => {
      if (method !== 'AddOrder' || times > 1) return null;
      stand.worker.signal('SIGKILL');
      return { cut: 'after' };
    };
    const txHash = await node().send(address, 9n * 10n ** 15n);
    await node().mine();
    await stand.until(id, 'pending');
    await node().mine(12);
    await stand.until(id, 'processing');
    kraken.deposit('ETH', txHash, crypto_amount);
    expect(await stand.worker.ended()).to.equal('SIGKILL');
    const second = await stand.startWorker();
    const settled = (await stand.until(id, 'settled')).at(-1);
    const settlement = { mode: 'exchange', coin: 'USDC', network: null, amount: '26.9298' };
    expect(settled?.data.settlement).to.deep.equal(settlement);
    expect(sum(kraken.account.orders.map(({ sold }) => sold))).to.equal('0.009');
    const ops = startProcess('ops', stand.env, ['verify']);
    expect(await ops.ended(), ops.output()).to.equal(0);

    for (const process of [stand.web, stand.worker, second, watcher, command, ops])
      for (const hidden of [key, secret]) expect(process.output()).to.not.include(hidden);
    for (const process of [stand.web, watcher]) {
      expect(remembers(process, stand.env.PUBLIC_URL ?? ''), 'what is looked for is found').to.equal(true);
      for (const hidden of [key, secret]) expect(remembers(process, hidden)).to.equal(false);
    }
  });
});

/** Whether a text is anywhere in the memory of a process, one byte or two a letter. */
function remembers({ pid }: Pick<Service, 'pid'>, text: string): boolean {
  const memory = openSync(`/proc/${pid}/mem`, 'r');
  const needles = [Buffer.from(text, 'latin1'), Buffer.from(text, 'utf16le')];
  try {
    return readFileSync(`/proc/${pid}/maps`, 'utf8')
      .split('\n')
      .some((line) => {
        const [, from = '0', to = '0'] = /^([0-9a-f]+)-([0-9a-f]+) rw/.exec(line) ?? [];
        const size = Number.parseInt(to, 16) - Number.parseInt(from, 16);
        // Address space that was reserved for later holds nothing.
        if (size === 0 || size > 256 * 1024 * 1024) return false;
        const bytes = Buffer.alloc(size);
        const read = readAt(memory, bytes, Number.parseInt(from, 16));
        return needles.some((needle) => bytes.subarray(0, read).includes(needle));
      });
  } finally {
    closeSync(memory);
  }
}

/** A part that cannot be read is none of the process's own. */
function readAt(memory: number, bytes: Buffer, position: number): number {
  try {
    return readSync(memory, bytes, 0, bytes.length, position);
  } catch {
    return 0;
  }
}
