import { expect } from 'chai';
import { wordOf } from '../../../support/anvil.ts';
import { AuditStand, BEFORE_SECONDS } from '../../../support/audit-stand.ts';
import { eachShop } from '../../../support/each-shop.ts';
import { contractOf, newAddress, unitsOf, useEvmStand } from '../../../support/evm-stand.ts';
import { BEGIN, type Harness } from '../../../support/harness.ts';
import { startLyingProxy, type Lie, type LyingProxy } from '../../../support/lying-proxy.ts';
import type { Shop } from '../../../support/shop.ts';

const HOUR = 3_600;
const PRICE = unitsOf('USDC', 10) + 500_000n;

describe('the balance audit beside providers that lie', () => {
  const standOf = useEvmStand(BEGIN);
  let harness: Harness;
  let shop: Shop;
  let audits: AuditStand;
  let proxy: LyingProxy;
  const opened: AuditStand[] = [];
  eachShop((own) => {
    ({ harness, shop } = own);
    audits = new AuditStand(standOf(), own);
    opened.push(audits);
  });
  beforeEach(async () => {
    proxy = await startLyingProxy(standOf().anvil);
  });
  afterEach(() => proxy.close());
  after(() => Promise.all(opened.map((one) => one.close())));

  const unprovenOf = async (id: string) =>
    (await harness.ctx.db('balance_audits').where({ payment_id: id }).first('unproven'))?.unproven as
      | string
      | null
      | undefined;
  const receivedBy = async (id: string) => (await shop.payment(id)).amount_received;
  const noMethod = () => {
    throw Object.assign(new Error('the method does not exist'), { code: -32_601 });
  };
  /** Both providers are asked in turns: whoever lies has been asked for everything after some rounds. */
  const auditOften = async () => {
    const seen = new Set<string | null | undefined>();
    for (let round = 0; round < 6; round += 1) {
      await harness.ctx.db('balance_audits').update({ due_at: BEGIN });
      await audits.audit().catch(() => undefined);
      for (const { unproven } of await harness.ctx.db('balance_audits')) seen.add(unproven as string | null);
      harness.advance(120);
    }
    return seen;
  };

  it('finds a token transfer that a provider hid among others while the scan caught up, by its own hash', async () => {
    audits.use({ urls: [proxy.url] });
    await audits.later(BEFORE_SECONDS);
    const id = await audits.real.create();
    const { address } = await shop.payment(id);
    await audits.audit();
    await standOf().pay('USDC', newAddress(), PRICE);
    const hash = await standOf().pay('USDC', address, PRICE);
    await standOf().mine(80);
    const hide: Lie = ({ method }, truth) =>
      method === 'eth_getLogs'
        ? (truth as { transactionHash: string }[]).filter(({ transactionHash }) => transactionHash !== hash)
        : truth;
    proxy.lie = hide;
    await audits.settle();
    expect(await receivedBy(id)).to.equal('0');
    await audits.later(HOUR);
    await audits.audit();
    expect(await unprovenOf(id), 'still hidden').to.equal('10.5 USDC');
    expect(await receivedBy(id)).to.equal('0');
    proxy.lie = null;
    await harness.ctx.db('balance_audits').update({ due_at: BEGIN });
    await audits.audit();
    expect(await audits.expire(id)).to.equal('PROCESSING');
    expect(await shop.payment(id)).to.include({ amount_received: '10.5', tx_hash: hash });
    expect(await unprovenOf(id)).to.equal(null);
  });

  it('refuses a balance that the state root does not commit to', async () => {
    audits.use({ urls: [proxy.url] });
    const { id, address } = await audits.open();
    await standOf().send(address, 5n);
    await audits.settle();
    await audits.later(HOUR);
    proxy.lie = ({ method }, truth) =>
      method === 'eth_getProof'
        ? (JSON.parse(JSON.stringify(truth).replaceAll('8005a056e81f17', '805fa056e81f17')) as unknown)
        : truth;
    const refused = await audits.audit().catch((error: unknown) => error);
    expect(String(refused)).to.include('does not lead from the state root');
    expect(await receivedBy(id)).to.equal('0.000000000000000005');
  });

  it('credits what no node proves when providers of two hosts say the same, and else tells operators alone', async () => {
    const second = await startLyingProxy(standOf().anvil);
    try {
      audits.use({ urls: [proxy.url, second.url.replace('localhost', '127.0.0.1')] });
      const without: Lie = ({ method }, truth) => (method === 'eth_getProof' ? noMethod() : truth);
      [proxy.lie, second.lie] = [without, without];
      const { id, address } = await audits.open();
      await audits.later(HOUR);
      proxy.lie = (call, truth) =>
        call.method === 'eth_getBalance' ? '0x6f05b59d3b20000' : without(call, truth);
      const seen = await auditOften();
      expect([...seen]).to.include('0.5 ETH');
      expect(await receivedBy(id)).to.equal('0');
      proxy.lie = without;
      await audits.forward(address, unitsOf('ETH', 1) / 2n);
      await audits.settle();
      await auditOften();
      expect(await receivedBy(id)).to.equal('0.5');
    } finally {
      await second.close();
    }
  });

  it('makes no money of a token balance without a transfer', async () => {
    audits.use({ urls: [proxy.url] });
    await audits.later(BEFORE_SECONDS);
    const id = await audits.real.create();
    await audits.audit();
    proxy.lie = ({ method, params }, truth) => {
      const [call] = params as readonly [{ to?: string }?];
      return method === 'eth_call' && call?.to === contractOf('USDC').toLowerCase() ? wordOf(PRICE) : truth;
    };
    await audits.later(HOUR);
    await audits.audit();
    expect(await unprovenOf(id)).to.equal('10.5 USDC');
    expect(await audits.expire(id)).to.equal('EXPIRED');
    expect(await receivedBy(id)).to.equal('0');
  });

  it('believes no block that another host does not have', async () => {
    const stand = standOf();
    // The liar has two keys, and is one host.
    audits.use({ urls: [proxy.url, `${proxy.url}/?second`, stand.anvil.url] });
    await audits.later(BEFORE_SECONDS);
    const id = await audits.real.create();
    const { address } = await shop.payment(id);
    await audits.audit();
    await stand.pay('USDC', address, PRICE);
    await stand.mine();
    const lost = await stand.rpc<{ hash: string; number: string }>('eth_getBlockByNumber', 'latest', true);
    const logs = await stand.rpc('eth_getLogs', { blockHash: lost.hash, address: contractOf('USDC') });
    const receipts = await stand.rpc('eth_getBlockReceipts', lost.hash);
    await stand.reorganise(1);
    await audits.later(HOUR);
    proxy.lie = ({ method, params }, truth) => {
      const [first] = params as readonly [({ to?: string } | string)?];
      if (method === 'eth_call' && typeof first === 'object' && first.to === contractOf('USDC').toLowerCase())
        return wordOf(PRICE);
      if (method === 'eth_getLogs') return logs;
      if (first === lost.hash) return method === 'eth_getBlockReceipts' ? receipts : lost;
      return truth;
    };
    const seen = await auditOften();
    expect([...seen]).to.include('10.5 USDC');
    expect(
      proxy.calls.filter(({ method, params }) => method === 'eth_getBlockByHash' && params[0] === lost.hash),
    ).to.not.be.empty;
    expect(await receivedBy(id)).to.equal('0');
  });

  it('asks no provider while nothing is due', async () => {
    audits.use({ urls: [proxy.url] });
    await audits.open();
    const before = proxy.calls.length;
    expect(await audits.audit()).to.equal(10);
    expect(proxy.calls.length).to.equal(before);
  });

  it('leaves payments unaudited where no provider has the state of the final block', async () => {
    audits.use({ urls: [proxy.url] });
    proxy.lie = ({ method }, truth) => {
      if (['eth_getProof', 'eth_getBalance'].includes(method))
        throw Object.assign(new Error('missing trie node'), { code: -32_000 });
      return truth;
    };
    await audits.later(BEFORE_SECONDS);
    const id = await audits.real.create();
    expect(await audits.audit()).to.equal(300);
    await audits.later(HOUR + 1);
    expect(await audits.expire(id), 'nobody audits').to.equal('EXPIRED');
  });
});
