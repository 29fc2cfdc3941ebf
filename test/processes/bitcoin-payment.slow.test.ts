import { expect } from 'chai';
import { newAddress } from '../support/bitcoin-blocks.ts';
import { useBitcoinStand } from '../support/bitcoin-stand.ts';
import { serveRates, type ServedRates } from '../support/rate-sites.ts';
import { until } from '../support/until.ts';
import { createLiveStand, type LiveStand } from './live-stand.ts';

/** What stands in the URL of the node. */
const PASSWORD = 'password';

/** Web and worker have no node; each process has what the Procfile gives it. */
describe('a live payment on Bitcoin by web, worker and watcher', function () {
  this.timeout(120_000);
  const node = useBitcoinStand();
  let stand: LiveStand;
  let rates: ServedRates;
  beforeEach(async () => {
    const settlement = { currency: 'BTC', network: 'bitcoin' } as const;
    const created = createLiveStand({ CHAIN_PROFILE: 'regtest' }, settlement);
    [stand, rates] = await Promise.all([created, serveRates(new Date())]);
  });
  afterEach(async () => {
    await Promise.all([stand.close(), rates.close()]);
  });

  const mine = async (blocks = 1) => {
    for (let mined = 0; mined < blocks; mined += 1)
      await node().mine({ time: Math.max(Math.floor(Date.now() / 1_000), (await node().time()) + 1) });
  };

  it('is settled by a block, or waits for a second host where it is large, and is refunded from a wallet', async () => {
    await mine();
    const sites = Object.entries(rates.urls).map(([site, url]) => [`RATE_URL_${site.toUpperCase()}`, url]);
    const env = { ...Object.fromEntries(sites), BITCOIN_RPC_URL: node().btcd.url };
    const watcher = await stand.startWatcher(env);
    await until('there are rates', async () => (await stand.rows('SELECT 1 FROM rates')).length > 0);
    const settle = async () => {
      const { id, address } = await stand.order('0.005');
      expect(address).to.match(/^bcrt1q/);
      const { id: txHash } = await node().pay([address, 500_000n]);
      await stand.until(id, 'pending');
      await mine();
      const events = await stand.until(id, 'settled');
      const settled = events.find(({ type }) => type === 'checkout.settled');
      expect(settled?.data.payment.txHash).to.equal(txHash);
      const settlement = { mode: 'par', coin: 'BTC', network: 'bitcoin', amount: '0.005' };
      expect(settled?.data.settlement).to.deep.include(settlement);
      return id;
    };
    const id = await settle();
    await mine(5);
    await until('the deposit is final', async () => {
      const final = 'SELECT 1 FROM transfers t JOIN chain_cursors c ON t.block_height <= c.final_height';
      return (await stand.rows(final)).length > 0;
    });

    const customer = newAddress();
    const asked = await stand.call('POST', `/v1/payment/${id}/refund`, {
      amount: '0.001',
      address: customer,
    });
    const refund = (await asked.json()) as { status: string; coin_amount: string };
    expect(refund).to.include({ status: 'AWAITING_SIGNATURE', coin_amount: '0.001' });
    await until('there is something to sign', async () => {
      const listed = await stand.call('GET', `/v1/payment/${id}/refunds`);
      const { data } = (await listed.json()) as { data: { request?: { psbt?: string } }[] };
      return data[0]?.request?.psbt?.startsWith('cHNidP') === true;
    });
    await node().pay([customer, 100_000n]);
    await mine(7);
    await stand.until(id, 'refunded');

    const large = await stand.order('0.05');
    await node().pay([large.address, 5_000_000n]);
    await stand.until(large.id, 'pending');
    await mine(7);
    await settle();
    const told = stand.events(large.id).map(({ type }) => type);
    expect(told).to.have.members(['checkout.created', 'checkout.pending']);
    expect(watcher.printed()).to.not.include(PASSWORD);
  });
});
