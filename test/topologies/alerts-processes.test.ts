import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { Web } from '../processes/stand.ts';
import { AlertStand, guessPassword } from '../support/alert-stand.ts';
import { until } from '../support/until.ts';

const PRELOADED = ['shifted-clock', 'unhandled-error']
  .map((name) => fileURLToPath(new URL(`../support/${name}.mjs`, import.meta.url)))
  .map((path) => `--import=${path}`)
  .join(' ');
const AHEAD_SECONDS = 10;
const PAYMENTS = 10;
/** Fewer than a connection may pipeline. */
const GUESSES = 400;
/** How often, and for how long, a process gets no CPU. */
const PULSES = 5;
const PULSE_MS = 700;

describe('the alerts on processes', function () {
  this.timeout(150_000);
  let folder: string;
  let alerts: AlertStand;
  let other: Web;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'test-alerts-'));
    alerts = await AlertStand.open();
  });
  after(async () => {
    await alerts.close();
    await rm(folder, { recursive: true });
  });

  it('are silent on a service that is well', async () => {
    const { web, stand } = alerts;
    let before = await alerts.untilWhole();
    let faults = '';
    const round = async () => {
      const created = Array.from({ length: PAYMENTS }, () =>
        web.api('POST', '/v1/payment', { pay_amount: '10.50', order_id: 'well' }),
      );
      await Promise.all(created);
      await until('all are settled', async () => {
        const open = await stand.rows(`SELECT FROM payments WHERE status <> 'SETTLED'`);
        return open.length === 0;
      });
      const after = await alerts.scrape();
      faults = alerts.faultsOf({ before, after });
      before = after;
      return faults === '';
    };
    // What a start, or a machine with other work, shows for a moment is judged as if it lasted. An alert that
    // is wrong of a service that is well fires in every round.
    await until('all are silent', round, 100_000).catch(() => expect.fail(faults));
  });

  it('fire where Prometheus does not find web, or the worker', async () => {
    const all = await alerts.scrape();
    const { targets } = alerts;
    for (const only of targets) {
      alerts.targets = [only];
      alerts.expectFiring(['ProcessMissing'], { before: all, after: await alerts.scrape() });
    }
    alerts.targets = targets;
  });

  it('fire beside a web on a machine whose clock is off, with a key that the worker lacks', async () => {
    const file = join(folder, 'clock');
    await writeFile(file, String(AHEAD_SECONDS));
    const SECRETS_KEY = `${randomBytes(32).toString('base64')},${alerts.stand.env.SECRETS_KEY}`;
    const before = await alerts.scrape();
    other = await alerts.addWeb(
      { NODE_OPTIONS: PRELOADED, SHIFT_FILE: file, SECRETS_KEY },
      { mayFail: true },
    );
    const shown = ['health_check_failing{check="clocks"', 'health_check_failing{check="secrets_key"'];
    const after = await alerts.untilShown(...shown, 'clock_offset_seconds{instance="another web"');
    alerts.expectFiring(['ClockWrong', 'SecretsKeyWrong'], { before, after });
  });

  it('fire where a process gets no CPU, and has an error that nothing handles', async () => {
    other.signal('SIGUSR2');
    await other.says('unhandled error');
    // The lag is that since the latest scrape.
    const before = await alerts.scrape();
    other.signal('SIGUSR2');
    for (let pulse = 0; pulse < PULSES; pulse += 1) {
      other.signal('SIGSTOP');
      const stoppedAt = performance.now();
      await until('it stood still', () => performance.now() - stoppedAt > PULSE_MS);
      other.signal('SIGCONT');
    }
    alerts.expectFiring(['EventLoopBlocked', 'UnhandledErrors'], { before, after: await alerts.scrape() });
  });

  it("fire while somebody guesses the operators' password", async () => {
    const before = await alerts.scrape();
    expect(await guessPassword(alerts.web, GUESSES)).to.match(/^HTTP\/1.1 401/);
    alerts.expectFiring(['SignInsGuessed', 'LogFlood'], { before, after: await alerts.scrape() });
  });

  it('fire where somebody has written a wallet into the database', async () => {
    const before = await alerts.scrape();
    await alerts.stand.rows(`
      INSERT INTO wallets (id, family, kind, public_data, mac, key_id, created_at, confirmed_at)
      VALUES ('wal_x', 'evm', 'xpub', 'xpub...', '', (SELECT key_id FROM webhook_secrets LIMIT 1), now(), now())
      RETURNING id`);
    const after = await alerts.untilShown('health_check_failing{check="wallets"');
    alerts.expectFiring(['WalletRefused'], { before, after });
  });

  it('have all fired', () => alerts.expectFired('processes'));
});
