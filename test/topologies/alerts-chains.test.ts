import { NO_RATES } from '../support/rate-sites.ts';
import { expect } from 'chai';
import { freePort, startProcess } from '../processes/service.ts';
import { AlertStand } from '../support/alert-stand.ts';
import { useEvmStand } from '../support/evm-stand.ts';
import { RawAnswerInstead, startLyingProxy, type LyingProxy } from '../support/lying-proxy.ts';
import type { Scrape } from '../support/prometheus.ts';
import { until } from '../support/until.ts';

describe('the alerts on real networks', function () {
  this.timeout(150_000);
  const node = useEvmStand();
  let alerts: AlertStand;
  let healthy: Scrape;
  let proxy: LyingProxy;
  before(async () => {
    alerts = await AlertStand.open();
    proxy = await startLyingProxy(node().anvil);
    const watcher = startProcess('watcher', {
      ...alerts.stand.env,
      ...NO_RATES,
      RPC_URLS_ETHEREUM: `${node().anvil.url},${proxy.url}`,
      ADMIN_PORT: String(await freePort()),
    });
    await watcher.says('"watching"');
    await until('the network is read', async () => {
      const rows = await alerts.stand.rows(
        `SELECT FROM chain_cursors WHERE chain = 'ethereum/live' AND cursor IS NOT NULL`,
      );
      return rows.length === 1;
    });
    healthy = await alerts.untilWhole();
  });
  after(() => Promise.all([alerts.close(), proxy.close()]));

  it('fire when an address holds more than anybody can prove', async () => {
    const { web, stand } = alerts;
    const created = await web.api('POST', '/v1/payment', { pay_amount: '1', order_id: 'order-1' });
    await stand.rows(
      `INSERT INTO balance_audits (payment_id, network, audited_until, due_at, unproven)
       VALUES (?, 'ethereum', now(), now() + interval '1 day', '1 ETH')`,
      [((await created.json()) as { id: string }).id],
    );
    const after = await alerts.untilShown('chain_money_unproven{network="ethereum/live"');
    alerts.expectFiring(['MoneyUnproven'], { before: healthy, after });
    await stand.rows('DELETE FROM balance_audits');
  });

  it('fire when a provider does not serve', async () => {
    const before = await alerts.untilWhole();
    proxy.lie = () => new RawAnswerInstead({ status: 502 });
    const isShown = ([name, value]: readonly [string, number]) =>
      name.startsWith('chain_provider_ok{') && value === 0;
    const after = await alerts.until('a provider failing', ({ values }) => [...values].some(isShown));
    alerts.expectFiring(['ChainProviderFailing'], { before, after });
    // It is asked whether the other one is right about what comes now.
    proxy.lie = null;
  });

  it('fire when a chain goes back below its final height', async () => {
    await node().reorganise(14);
    await node().mine(5);
    const after = await alerts.untilShown('chain_halted{network="ethereum/live"');
    alerts.expectFiring(['ChainHalted'], { before: healthy, after });
    expect(after.values.size).to.be.greaterThan(0);
  });

  it('have all fired', () => alerts.expectFired('chains'));
});
