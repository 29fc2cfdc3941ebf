import { expect } from 'chai';
import { migrateQueues } from '../../src/background/queues.ts';
import { migrateToLatest } from '../../src/platform/postgres/migrate.ts';
import { AlertStand, valueOf } from '../support/alert-stand.ts';
import { startPair, type Pair } from '../support/standby.ts';
import { until } from '../support/until.ts';

/** They come faster than those before them end, which have the 20 connections of web's pool. */
const REQUESTS = 120;
const COME_EVERY_MS = 25;
const LISTS = 20;
const FAILED_RUNS = 'jobs_total{job="webhook.partitions",outcome="failed"';
const PARTITION_END = 'partition_end_seconds{table="deliveries"';

describe('the alerts on Postgres', function () {
  this.timeout(150_000);
  let pair: Pair;
  let alerts: AlertStand;
  before(async () => {
    pair = await startPair();
    const { primaryUrl: url, standbyUrl } = pair;
    await migrateToLatest(url);
    await migrateQueues(url);
    const database = { url, drop: () => Promise.resolve() };
    alerts = await AlertStand.open({ DATABASE_REPLICA_URL: standbyUrl }, { database });
  });
  after(async () => {
    await alerts.close();
    await pair.close();
  });

  const read = async (path: string) => (await alerts.web.api('GET', path)).status;

  /** Reads share connections; this takes one for itself. */
  const cancel = async (id: string) => (await alerts.web.api('POST', `/v1/payment/${id}/cancel`)).status;

  it('fire while the replica is away', async () => {
    await until('the replica serves', async () => {
      await read('/v1/payments');
      return (valueOf(await alerts.scrape(), 'replica_reads_total{outcome="served"') ?? 0) > 0;
    });
    const before = await alerts.untilWhole();
    await pair.stopStandby();
    for (let i = 0; i < LISTS; i += 1) expect(await read('/v1/payments')).to.equal(200);
    alerts.expectFiring(['ReplicaNotServing'], { before, after: await alerts.scrape() });
  });

  it('fire while a statement of somebody locks payments', async () => {
    const before = await alerts.untilWhole();
    const held = await alerts.stand.db.transaction();
    // A busy machine takes longer than a worker's transaction may be idle.
    await held.raw('SET LOCAL idle_in_transaction_session_timeout = 0; LOCK TABLE payments');
    const requests: Promise<number>[] = [];
    const come = () => requests.push(cancel(`pay_${String(requests.length).padStart(26, '0')}`));
    await until('all have come', () => come() >= REQUESTS, undefined, COME_EVERY_MS);
    const statuses = await Promise.all(requests);
    await held.rollback();
    expect(new Set(statuses)).to.deep.equal(new Set([503]));
    const after = await alerts.untilWhole();
    alerts.expectFiring(['LatencyHigh', 'PoolWaits'], { before, after });
  });

  it('fire while a reader that does not end keeps partitions from being made', async () => {
    const { stand } = alerts;
    const before = await alerts.untilShown(PARTITION_END);
    const names = await stand.rows<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relname ~ '^deliver(ies|y_attempts)_[0-9]{8}$' AND relkind = 'r'`,
    );
    expect(names).to.not.deep.equal([]);
    await stand.rows(`DROP TABLE ${names.map(({ name }) => name).join()}`);
    const reader = await stand.db.transaction();
    await reader.raw('SET LOCAL idle_in_transaction_session_timeout = 0; SELECT count(*) FROM deliveries');
    await stand.rows(
      `UPDATE scheduled_jobs SET run_at = now(), visible_at = now() WHERE job = 'webhook.partitions'`,
    );
    const after = await alerts.until(
      'the job has failed, and the partitions are missing',
      (latest) => (valueOf(latest, FAILED_RUNS) ?? 0) > 0 && (valueOf(latest, PARTITION_END) ?? 0) === 0,
    );
    await reader.rollback();
    alerts.expectFiring(['JobsFailing', 'PartitionsMissing'], { before, after });
  });

  it('fire while it is away, and the worker lives', async () => {
    const before = await alerts.untilWhole();
    await pair.stopPrimary();
    for (let i = 0; i < LISTS; i += 1) expect(await read('/v1/payments')).to.equal(503);
    const after = await alerts.untilShown('health_check_failing{check="postgres"', 'metric_failing');
    alerts.expectFiring(['PostgresUnavailable', 'ErrorRate'], { before, after });
    alerts.expectFiring(['RelayFailing'], { before: after, after: await alerts.scrape() });
    const { worker } = alerts;
    worker.age(31);
    await until('the worker gives another sign of life', async () => (await worker.health()) === 0);
  });

  it('have all fired', () => alerts.expectFired('postgres'));
});
