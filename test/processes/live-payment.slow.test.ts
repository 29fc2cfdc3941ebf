import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { expect } from 'chai';
import { KNOWN_VARIABLES } from '../../src/platform/config/variables.ts';
import { newAddress, unitsOf, useEvmStand } from '../support/evm-stand.ts';
import { serveRates, type ServedRates } from '../support/rate-sites.ts';
import { until } from '../support/until.ts';
import { createLiveStand, type LiveStand, type Ordered } from './live-stand.ts';
import { startProcess, type Service } from './service.ts';

/** What a provider's URL ends in: a key, mostly. */
const PROVIDER_KEY = 'k3ySt4nd1ngInAPath';

/** Web and worker have no provider; each process has what the Procfile gives it. */
describe('a live payment by web, worker and watcher', function () {
  this.timeout(120_000);
  const node = useEvmStand();
  let stand: LiveStand;
  let rates: ServedRates;
  beforeEach(async () => {
    [stand, rates] = await Promise.all([createLiveStand(), serveRates(new Date())]);
  });
  afterEach(async () => {
    await Promise.all([stand.close(), rates.close()]);
  });

  const provider = () => ({ RPC_URLS_ETHEREUM: `${node().anvil.url}/?key=${PROVIDER_KEY}` });
  const ledgerOf = ({ id }: Ordered) =>
    stand.rows<{ kind: string; amount: string; coin: string }>(
      'SELECT kind, amount, coin FROM ledger_entries WHERE payment_id = ? ORDER BY id',
      [id],
    );
  const settle = async (order: Ordered) => {
    await node().mine();
    await stand.until(order.id, 'pending');
    await node().mine(12);
    const events = await stand.until(order.id, 'settled');
    expect(events.map(({ type }) => type)).to.have.members([
      'checkout.created',
      'checkout.pending',
      'checkout.processing',
      'checkout.settled',
    ]);
    const settled = events.find(({ type }) => type === 'checkout.settled');
    return { txHash: settled?.data.payment.txHash, settlement: settled?.data.settlement };
  };

  it('is settled in the coin that came to the wallet of the merchant, and refunded from one, to the unit', async () => {
    const asked = { pay_amount: '25.000001', order_id: 'order-1' };
    expect((await stand.call('POST', '/v1/payment', asked)).status, 'no watcher').to.equal(503);
    await stand.startWatcher(provider());
    const order = await stand.order('25.000001');
    const txHash = await node().pay('USDC', order.address, 25n * unitsOf('USDC', 1) + 1n);
    const settlement = { mode: 'par', coin: 'USDC', network: 'ethereum', amount: '25.000001' };
    expect(await settle(order)).to.deep.equal({ txHash, settlement });
    expect(await ledgerOf(order)).to.deep.equal([
      { kind: 'received', amount: '25.000001', coin: 'USDC' },
      { kind: 'settled', amount: '25.000001', coin: 'USDC' },
    ]);
    const customer = newAddress();
    const path = `/v1/payment/${order.id}/refund`;
    const accepted = await stand.call('POST', path, { amount: '5.000001', address: customer });
    expect(accepted.status).to.equal(201);
    const refund = (await accepted.json()) as { id: string; request: { to: string; data: string } };
    const paidBy = await node().call(refund.request.to, refund.request.data);
    await node().mine();
    const announced = await stand.call('POST', `${path}s/${refund.id}/announce`, { tx_hash: paidBy });
    expect(await announced.json()).to.include({ status: 'SENT', tx_hash: paidBy });
    await node().mine(20);
    const refunded = (await stand.until(order.id, 'refunded')).find(
      ({ type }) => type === 'checkout.refunded',
    );
    const told = { id: refund.id, txHash: paidBy, coinAmount: '5.000001', address: customer };
    expect(refunded?.data.refund).to.include(told);
    expect(await node().balance('USDC', customer)).to.equal(5_000_001n);
  });

  it('is settled as received in another coin that the merchant accepts, at a price of served sources', async () => {
    const { live, env, web } = stand;
    const args = ['set-accepted-methods', '--merchant', live.merchant_id, '--methods', 'ETH/ethereum'];
    expect(await startProcess('merchants', env, args).ended()).to.equal(0);
    const sources = Object.entries(rates.urls).map(([site, url]) => [`RATE_URL_${site.toUpperCase()}`, url]);
    await stand.startWatcher({ ...provider(), ...Object.fromEntries(sources) });
    const order = await stand.order('27');
    const form = new URL(`${order.checkout_url}/coin`);
    await until('ether is quoted', async () => {
      const { status } = await fetch(`http://127.0.0.1:${web.port}${form.pathname}`, {
        method: 'POST',
        redirect: 'manual',
        headers: { Origin: form.origin },
        body: new URLSearchParams({ coin: 'ETH', network: 'ethereum' }),
      });
      expect(status).to.be.oneOf([303, 503]);
      return status === 303;
    });
    const [asked] = await stand.rows<{ crypto_amount: string; coin: string }>(
      'SELECT crypto_amount, coin FROM payments WHERE id = ?',
      [order.id],
    );
    // 27 dollars at 3,000 for an ether.
    expect(asked).to.deep.equal({ crypto_amount: '0.009', coin: 'ETH' });
    const txHash = await node().send(order.address, 9n * 10n ** 15n);
    const settlement = { mode: 'as_received', coin: 'ETH', network: 'ethereum', amount: '0.009' };
    expect(await settle(order)).to.deep.equal({ txHash, settlement });
    expect(await ledgerOf(order)).to.deep.equal([
      { kind: 'received', amount: '0.009', coin: 'ETH' },
      { kind: 'settled', amount: '0.009', coin: 'ETH' },
    ]);
  });

  it('leaves no key in any process, and no trace of a provider in web and worker', async () => {
    const watcher = await stand.startWatcher(provider());
    const order = await stand.order('25');
    await node().pay('USDC', order.address, unitsOf('USDC', 25));
    await settle(order);
    for (const process of [stand.web, stand.worker, watcher]) {
      const { environment, told } = traceOf(process);
      expect(environment, 'a private key, an extended one, or a seed').to.not.match(
        /\b(0x)?[0-9a-f]{64}\b|[xtyz]prv[a-z0-9]{20}|\b([a-z]{3,8} ){11}[a-z]{3,8}\b/i,
      );
      expect(told, 'a key file').to.not.match(/gas.?wallet|passphrase|key-?file|keystore|UTC--/i);
      expect(process.output()).to.not.include(PROVIDER_KEY);
      if (process === watcher) {
        // What is looked for below is found where it is.
        expect(told).to.include(`RPC_URLS_ETHEREUM=${provider().RPC_URLS_ETHEREUM}`);
        expect(told).to.include(`connected to 127.0.0.1:${new URL(node().anvil.url).port}`);
      } else {
        expect(told).to.not.match(/RPC_/);
        for (const part of [PROVIDER_KEY, new URL(node().anvil.url).host]) expect(told).to.not.include(part);
      }
    }
    // SIGNER_REFUNDS names merchants and networks.
    expect(
      KNOWN_VARIABLES.filter((name) =>
        /PRIVATE_KEY|MNEMONIC|SEED|SIGNER|XPRV|PASSPHRASE|KEY_FILE|GAS_/.test(name),
      ),
    ).to.deep.equal(['SIGNER_REFUNDS']);
  });
});

/** What a process was started with, and what it has open: files, and the other ends of its connections. */
function traceOf({ pid }: Service): { environment: string; told: string } {
  const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').replaceAll('\0', '\n');
  const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  const open = readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkOf(`/proc/${pid}/fd/${fd}`));
  const peers = readFileSync(`/proc/${pid}/net/tcp`, 'utf8')
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      const [, , remote = '', , , , , , , inode = ''] = line.trim().split(/\s+/);
      const [address = '', port = ''] = remote.split(':');
      return open.includes(`socket:[${inode}]`) ? `connected to ${ipOf(address)}:${parseInt(port, 16)}` : [];
    });
  return { environment, told: [environment, command, ...open, ...peers].join('\n') };
}

/** Bytes of an address in the order of the machine. */
const ipOf = (hex: string): string =>
  (hex.match(/../g) ?? [])
    .toReversed()
    .map((byte) => parseInt(byte, 16))
    .join('.');

/** One that was closed since it was listed has no name. */
function readlinkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
