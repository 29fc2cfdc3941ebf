import { expect } from 'chai';
import { leaseDue } from '../../../src/domain/schedule/lease.ts';
import { leaseDueOfEach } from '../../../src/domain/schedule/shares.ts';
import { addSeconds } from '../../../src/platform/clock.ts';
import { openDb, type Db } from '../../../src/platform/postgres/db.ts';
import { explain, rowsRead } from '../../support/explain.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

const NOW = new Date('2026-01-31T12:00:00.000Z');
const LEASE_END = addSeconds(NOW, 30);
const JOB = 'test.share';

describe('the shares of merchants in what is due', () => {
  let database: TestDatabase;
  let db: Db;
  beforeEach(async () => {
    database = await createTestDatabase();
    db = openDb({ url: database.url, poolSize: 2, acquireMs: 10_000, queryMs: 20_000, name: 'test' });
  });
  afterEach(async () => {
    await db.destroy();
    await database.drop();
  });

  /** Jobs of a merchant (null: nobody's), due from so many seconds after NOW on, 1 ms after one another. */
  const put = (merchant: string | null, count: number, seconds: number, job = JOB) =>
    db.raw(
      `INSERT INTO scheduled_jobs (job, key, for_merchant, run_at, visible_at)
       SELECT ?, coalesce(?, 'nobody') || '-' || lpad(i::text, 6, '0'), ?, t, t
       FROM generate_series(1, ?::int) AS i, LATERAL (SELECT ?::timestamptz + i * interval '1 ms' AS t) AS times`,
      [job, merchant, merchant, count, addSeconds(NOW, seconds)],
    );
  const lease = async (count: number, now = NOW) => {
    const leased = await leaseDueOfEach(db, JOB, count, now, LEASE_END);
    return leased.map(({ key }) => key).sort();
  };

  it('are the same for all, of each what has been due longest', async () => {
    await put('mer_a', 50, -60);
    await put('mer_b', 50, -10);
    await put('mer_c', 1, -1);
    expect(await lease(9)).to.deep.equal([
      'mer_a-000001',
      'mer_a-000002',
      'mer_a-000003',
      'mer_b-000001',
      'mer_b-000002',
      'mer_b-000003',
      'mer_c-000001',
    ]);
    expect(await lease(4)).to.deep.equal(['mer_a-000004', 'mer_a-000005', 'mer_b-000004', 'mer_b-000005']);
  });

  it("leave out what is not due, other jobs, and nobody's", async () => {
    await put('mer_a', 2, -60);
    await put('mer_b', 5, 60);
    await put(null, 5, -60);
    await put('mer_c', 5, -60, 'test.other');
    expect(await lease(10)).to.deep.equal(['mer_a-000001', 'mer_a-000002']);
    expect(await lease(10)).to.deep.equal([]);
    const nobodys = await leaseDue(db, new Map([[JOB, 10]]), NOW, LEASE_END);
    expect(nobodys).to.have.length(5);
  });

  it('are no more than was asked for, however many merchants there are', async () => {
    for (let i = 0; i < 20; i += 1) await put(`mer_${i}`, 2, -60);
    expect(await lease(7)).to.have.length(7);
  });

  it('wait for no other relay, and lease nothing that it has leased', async () => {
    await put('mer_a', 4, -60);
    const tx = await db.transaction();
    const first = await leaseDue(tx, new Map([[JOB, 3]]), NOW, LEASE_END);
    expect(first).to.have.length(3);
    expect(await lease(10)).to.deep.equal(['mer_a-000004']);
    await tx.commit();
    expect(await lease(10)).to.deep.equal([]);
  });

  it('cost what they lease, beside 100,000 jobs that are not due and 100,000 that are', async () => {
    await put('mer_a', 100_000, 3_600);
    await put('mer_b', 100_000, -3_600);
    await put('mer_c', 1, -1);
    await db.raw('ANALYZE scheduled_jobs');
    for (const plan of await explain(db, (tx) => leaseDueOfEach(tx, JOB, 10, NOW, LEASE_END)))
      expect(rowsRead(plan, 'scheduled_jobs'), plan).to.be.at.most(40);
  });
});
