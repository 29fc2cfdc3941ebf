import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { startEmbeddedPostgres } from '../../src/platform/embedded-postgres/start.ts';
import { migrateToLatest } from '../../src/platform/postgres/migrate.ts';
import { endAll, freePort } from '../processes/service.ts';
import { createStand, type Stand, type Web, type Worker } from '../processes/stand.ts';
import { read } from '../support/documents.ts';
import { judgeAlerts, scrapeAll, type Scrape, type Target } from '../support/prometheus.ts';
import { startReceiver, type Receiver } from '../support/receivers.ts';
import { startRedis, type RedisServer } from '../support/redis.ts';
import { until } from '../support/until.ts';

const PASSWORD = 'a word for prometheus';
/** Longer than any look of a check, and than the patience with a queue. */
const SHOWS_WITHIN_MS = 100_000;

interface Rule {
  readonly alert: string;
  readonly expr: string;
}

const { groups } = parse(read('deploy/monitoring/alerts.yml')) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);

/**
 * Alerts, over what a web and a worker show in their /metrics while the very thing happens that it is
 * for. Only time is laid out: promtool takes what two scrapes have shown on for 25 minutes.
 */
describe('the alerts', function () {
  this.timeout(150_000);
  let folder: string;
  let postgres: Awaited<ReturnType<typeof startPostgres>>;
  let redis: RedisServer;
  let stand: Stand;
  let receiver: Receiver;
  let web: Web;
  let worker: Worker;
  let targets: Target[];

  const startPostgres = (port?: number) =>
    startEmbeddedPostgres({
      dataDir: join(folder, 'data'),
      flags: ['-c', 'fsync=off', '-c', 'max_connections=200'],
      initdbFlags: ['--no-sync', '--set=scram_iterations=1'],
      log: () => undefined,
      ...(port === undefined ? {} : { port }),
    });

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'test-alerts-'));
    await chmod(folder, 0o711);
    [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
    await migrateToLatest(postgres.url);
    const away = await freePort();
    stand = await createStand(
      {
        DATABASE_URL: postgres.url,
        DATABASE_REPLICA_URL: `postgres://u@127.0.0.1:${away}/away`,
        REDIS_URL: redis.url,
        ADMIN_PASSWORD: PASSWORD,
        SIMULATOR_AUTOPAY_SECONDS: '0',
      },
      { url: postgres.url, drop: () => Promise.resolve() },
    );
    receiver = await startReceiver();
    const adminPort = await freePort();
    [web, worker] = await Promise.all([
      stand.startWeb(),
      stand.startWorker({ ADMIN_PORT: String(adminPort) }),
    ]);
    targets = [target('web', web.port), target('worker', adminPort)];
    const config = { webhookUrl: receiver.url, enabled: true };
    expect((await web.api('PUT', '/v1/webhooks/config', config)).status).to.equal(200);
  });
  afterEach(async () => {
    expect(await worker.health(), 'the worker is alive').to.equal(0);
  });
  after(async () => {
    await endAll();
    await stand.close();
    await Promise.all([receiver.close(), redis.stop(), postgres.stop()]);
    await rm(folder, { recursive: true });
  });

  const target = (name: string, port: number) => ({ name, url: `http://127.0.0.1:${port}/metrics` });
  const scrape = () => scrapeAll(targets, PASSWORD);
  const valueOf = ({ values }: Scrape, start: string) =>
    [...values].find(([series]) => series.startsWith(start))?.[1];
  /** Scrapes until every one of these series has a value that is not 0. */
  const untilShown = async (...series: string[]) => {
    let latest = await scrape();
    const lacks = () => series.filter((start) => !((valueOf(latest, start) ?? 0) > 0));
    const look = async () => {
      latest = await scrape();
      return lacks().length === 0;
    };
    await until('the fault is shown', look, SHOWS_WITHIN_MS).catch(() => {
      throw new Error(`never shown: ${lacks().join(', ')}`);
    });
    return latest;
  };
  /** Scrapes until a series is 0. */
  const untilSilent = async (start: string) => {
    let latest = await scrape();
    const look = async () => {
      latest = await scrape();
      return valueOf(latest, start) === 0;
    };
    await until(`${start} is 0`, look, SHOWS_WITHIN_MS);
    return latest;
  };
  const expectFiring = (before: Scrape, after: Scrape, alerts: readonly string[], ages = false) => {
    const added = rules
      .filter(({ alert }) => alerts.includes(alert))
      .map((rule) => ({ ...rule, before, after, ages, fires: true }));
    expect(added.map(({ alert }) => alert)).to.have.members(alerts);
    expect(judgeAlerts(added)).to.equal('');
  };

  it('fire while a worker is frozen', async () => {
    const before = await scrape();
    worker.signal('SIGSTOP');
    const after = await untilSilent('queue_workers{queue="settlement"');
    worker.signal('SIGCONT');
    expectFiring(before, after, ['NoWorker', 'ProcessDown']);
    expectFiring(before, after, ['JobsLate', 'ChainNotRead', 'ChainHeadOld'], true);
  });

  it('fire where Prometheus does not find web, or the worker', async () => {
    const all = await scrape();
    const [own, other] = targets;
    for (const only of [own, other]) {
      targets = only === undefined ? [] : [only];
      expectFiring(all, await scrape(), ['ProcessMissing']);
    }
    targets = [own, other].filter((one) => one !== undefined);
  });

  it('fire while Redis is away', async () => {
    await redis.stop();
    const before = await untilShown('health_check_failing{check="redis"', 'metric_failing');
    expectFiring(before, await scrape(), ['RedisUnavailable', 'MetricsFailing']);
    worker.age(31);
    await until('the worker gives another sign of life', async () => (await worker.health()) === 0);
    await redis.start();
  });

  it('fire while Postgres is away', async () => {
    const before = await scrape();
    const { port } = postgres;
    await postgres.stop();
    for (let i = 0; i < 20; i += 1) expect((await web.api('GET', '/v1/payments')).status).to.equal(503);
    const after = await untilShown('health_check_failing{check="postgres"', 'metric_failing');
    expectFiring(before, after, ['PostgresUnavailable', 'MetricsFailing', 'ErrorRate']);
    expectFiring(after, await scrape(), ['RelayFailing']);
    worker.age(31);
    await until('the worker gives another sign of life', async () => (await worker.health()) === 0);
    postgres = await startPostgres(port);
  });
});
