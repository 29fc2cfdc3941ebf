import { NO_RATES } from '../support/rate-sites.ts';
import { expect } from 'chai';
import { freePort, startProcess } from '../processes/service.ts';
import { AlertStand } from '../support/alert-stand.ts';
import { useEvmStand } from '../support/evm-stand.ts';
import type { Scrape } from '../support/prometheus.ts';
import { until } from '../support/until.ts';

describe('the alerts on real networks', function () {
  this.timeout(150_000);
  const node = useEvmStand();
  let alerts: AlertStand;
  let healthy: Scrape;
  before(async () => {
    alerts = await AlertStand.open();
    const watcher = startProcess('watcher', {
      ...alerts.stand.env,
      ...NO_RATES,
      RPC_URLS_ETHEREUM: node().anvil.url,
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
  after(() => alerts.close());

  it('fire when a chain goes back below its final height', async () => {
    await node().reorganise(14);
    await node().mine(5);
    const after = await alerts.untilShown('chain_halted{network="ethereum/live"');
    alerts.expectFiring(['ChainHalted'], { before: healthy, after });
    expect(after.values.size).to.be.greaterThan(0);
  });

  it('have all fired', () => alerts.expectFired('chains'));
});
