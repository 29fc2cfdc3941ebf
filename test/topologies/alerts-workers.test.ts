import { expect } from 'chai';
import { Client } from 'pg';
import { AlertStand, valueOf } from '../support/alert-stand.ts';
import type { Scrape } from '../support/prometheus.ts';
import { startReceiver, type Receiver } from '../support/receivers.ts';

describe('the alerts on workers and transactions that stand still', function () {
  this.timeout(200_000);
  let alerts: AlertStand;
  let receiver: Receiver;
  let healthy: Scrape;
  let holder: Client;
  before(async () => {
    [alerts, receiver] = await Promise.all([AlertStand.open(), startReceiver()]);
    holder = new Client({ connectionString: alerts.stand.env.DATABASE_URL });
    await holder.connect();
    const config = { webhookUrl: receiver.url, enabled: true };
    expect((await alerts.web.api('PUT', '/v1/webhooks/config', config)).status).to.equal(200);
  });
  afterEach(async () => {
    expect(await alerts.worker.health(), 'the worker is alive').to.equal(0);
  });
  after(async () => {
    await holder.end();
    await Promise.all([alerts.close(), receiver.close()]);
  });

  const create = async () => {
    const body = { pay_amount: '10.50', order_id: 'frozen' };
    expect((await alerts.web.api('POST', '/v1/payment', body)).status).to.equal(201);
  };

  it('fire while a worker is frozen', async () => {
    await create();
    await receiver.waitFor(1);
    // A program that hangs before its COMMIT, for the test after the next.
    await holder.query('BEGIN');
    await holder.query('INSERT INTO events (id) SELECT id FROM events LIMIT 0');
    healthy = await alerts.untilWhole();
    alerts.worker.signal('SIGSTOP');
    await create();
    const after = await alerts.untilShown(
      'health_check_failing{check="queues"',
      'due_work_oldest_seconds',
      'chain_sync_late_seconds{network="ethereum"',
      'chain_head_age_seconds{network="ethereum"',
    );
    alerts.worker.signal('SIGCONT');
    alerts.expectFiring(['NoWorker', 'ProcessDown', 'QueueNotConsumed'], { before: healthy, after });
    alerts.expectFiring(['JobsLate', 'ChainNotRead', 'ChainHeadOld'], { before: healthy, after, ages: true });
  });

  it('fire when the worker does late what was due', async () => {
    const isLate = ({ values }: Scrape) =>
      [...values.keys()].some((series) => {
        const [, rest = ''] = /^job_lateness_seconds_bucket\{le="30"(.*)$/.exec(series) ?? [];
        const all = valueOf({ values }, `job_lateness_seconds_bucket{le="60"${rest}`) ?? 0;
        return rest !== '' && all > (values.get(series) ?? 0);
      });
    const after = await alerts.until('a job has started late', isLate);
    alerts.expectFiring(['JobsStartLate'], { before: healthy, after });
  });

  it('fire while a program does not end its transaction', async () => {
    const after = await alerts.untilShown('health_check_failing{check="feed"');
    alerts.expectFiring(['FeedHeld'], { before: healthy, after });
  });

  it('have all fired', () => alerts.expectFired('workers'));
});
