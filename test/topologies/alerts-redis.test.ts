import { AlertStand } from '../support/alert-stand.ts';
import { startRedis, type RedisServer } from '../support/redis.ts';
import { until } from '../support/until.ts';

describe('the alerts on Redis', function () {
  this.timeout(150_000);
  let redis: RedisServer;
  let alerts: AlertStand;
  before(async () => {
    redis = await startRedis();
    alerts = await AlertStand.open({ REDIS_URL: redis.url });
  });
  after(async () => {
    await alerts.close();
    await redis.stop();
  });

  it('fire while it is away, and the worker lives', async () => {
    await redis.stop();
    const before = await alerts.untilShown('health_check_failing{check="redis"', 'metric_failing');
    const after = await alerts.untilShown('health_check_failing{check="redis"', 'metric_failing');
    alerts.expectFiring(['RedisUnavailable', 'MetricsFailing'], { before, after });
    const { worker } = alerts;
    worker.age(31);
    await until('the worker gives another sign of life', async () => (await worker.health()) === 0);
  });

  it('have all fired', () => alerts.expectFired('redis'));
});
