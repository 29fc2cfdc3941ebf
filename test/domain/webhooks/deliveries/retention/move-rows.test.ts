import { expect } from 'chai';
import { maintainPartitions } from '../../../../../src/domain/webhooks/deliveries/partitions.ts';
import { openDb, run, sql, type Db } from '../../../../../src/platform/postgres/db.ts';
import { WORKER_DB } from '../../../../../src/processes/setup/context.ts';
import { createHarness, type Harness } from '../../../../support/harness.ts';
import { startPostgresProxy, type PostgresProxy } from '../../../../support/postgres-proxy.ts';
import { until } from '../../../../support/until.ts';

const DAY = 86_400;
const partitions = sql<{ name: string }>(
  'test_partitions_of_deliveries',
  `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'deliveries'::regclass`,
);

describe('a worker that freezes while it changes the partitions', () => {
  let harness: Harness;
  let proxy: PostgresProxy;
  let db: Db;
  beforeEach(async () => {
    harness = await createHarness();
    await maintainPartitions(harness.ctx);
    proxy = await startPostgresProxy(harness.ctx.config.databaseUrl);
    db = openDb({ url: proxy.url, name: 'frozen', ...WORKER_DB });
  });
  afterEach(async () => {
    await proxy.close();
    await db.destroy();
    await harness.close();
  });

  const hasPartition = async (week: string) =>
    (await run(harness.ctx.db, partitions, [])).some(({ name }) => name === `deliveries_${week}`);

  /** Maintains them; the worker sends no more once it has sent `last`, and Postgres does what it was sent. */
  async function freezeAfter(last: string, change: () => Promise<boolean>): Promise<void> {
    proxy.withholdAt((sent) => sent.includes(last));
    const maintained = maintainPartitions({ ...harness.ctx, db }).then(
      () => 'done',
      () => 'cut off',
    );
    await until(`"${last}" is committed`, change, 10_000);
    proxy.thaw();
    expect(await maintained).to.equal('cut off');
  }

  it('leaves a created partition behind, and no lock', async () => {
    harness.advance(7 * DAY);
    await freezeAfter('CREATE TABLE deliveries_20260223', () => hasPartition('20260223'));
  });

  it('leaves a partition dropped whose time is over, and no lock', async () => {
    harness.advance(60 * DAY);
    await freezeAfter('DROP TABLE deliveries_20260202', async () => !(await hasPartition('20260202')));
  });
});
