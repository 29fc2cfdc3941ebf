import { expect } from 'chai';
import { leaseDue, type LeaseRequest } from '../../../src/domain/schedule/lease.ts';
import { addSeconds } from '../../../src/platform/clock.ts';
import { openDb, type Connection, type Db } from '../../../src/platform/postgres/db.ts';
import { explain, rowsRead } from '../../support/explain.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

const NOW = new Date('2026-01-31T12:00:00.000Z');
const LEASE_END = addSeconds(NOW, 30);
const JOB = 'test.share';

describe('the lease of what is due', () => {
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
  const lease = (count: number, more: Partial<LeaseRequest> = {}, connection: Connection = db) =>
    leaseDue(connection, { job: JOB, count, now: NOW, leaseEnd: LEASE_END, ...more });
  const keysOf = async (leasing: ReturnType<typeof lease>) =>
    (await leasing).jobs.map(({ key }) => key).sort();

  it('gives merchants turns, each with what has been due longest', async () => {
    await put('mer_a', 50, -60);
    await put('mer_b', 50, -10);
    await put('mer_c', 1, -1);
    const leased = await lease(7);
    expect(leased.jobs.map(({ key }) => key).sort()).to.deep.equal([
      'mer_a-000001',
      'mer_a-000002',
      'mer_a-000003',
      'mer_b-000001',
      'mer_b-000002',
      'mer_b-000003',
      'mer_c-000001',
    ]);
    expect(leased.isMoreDue).to.equal(true);
  });

  it('does not wait for the disk, whether something was due or not', async () => {
    for (const count of [0, 1]) {
      await put('mer_a', count, -60);
      await db.transaction(async (tx) => {
        // Tests' servers never wait for it.
        await tx.raw('SET LOCAL synchronous_commit TO on');
        expect((await lease(1, {}, tx)).jobs).to.have.length(count);
        const { rows } = await tx.raw<{ rows: unknown[] }>(
          `SELECT current_setting('synchronous_commit') AS mode`,
        );
        expect(rows).to.deep.equal([{ mode: 'off' }]);
      });
    }
  });

  it('finds the job of a merchant behind 20,000 of another, that have been due longer', async () => {
    await put('mer_a', 20_000, -60);
    await put('mer_b', 1, -1);
    expect(await keysOf(lease(4))).to.deep.equal([
      'mer_a-000001',
      'mer_a-000002',
      'mer_a-000003',
      'mer_b-000001',
    ]);
  });

  it('comes to every merchant of several hundred behind the 20,000 of another, one lease after the other', async () => {
    await put('mer_0', 20_000, -60);
    for (let i = 0; i < 250; i += 1) await put(`mer_${1_000 + i}`, 1, -1);
    const merchants = new Set<string | null>();
    let after = '';
    for (let leases = 0; leases < 3; leases += 1) {
      const leased = await lease(200, { after });
      for (const { merchant_id } of leased.jobs) merchants.add(merchant_id);
      ({ after } = leased);
    }
    expect(merchants.size).to.equal(251);
    expect(after).to.equal('');
  });

  it('counts the slots that merchants hold, and leaves free what a later one needs', async () => {
    await put('mer_a', 50, -60);
    await put('mer_b', 50, -10);
    const held = [{ merchant_id: 'mer_a', held: 4 }];
    const shared = (free: number) => ({ slots: { free, factor: 1, held } });
    const leased = await lease(16, shared(10));
    // Each holds less than what was free when it got its last.
    expect(leased.jobs.map(({ key }) => key)).to.have.members([
      'mer_a-000001',
      'mer_b-000001',
      'mer_b-000002',
      'mer_b-000003',
      'mer_b-000004',
      'mer_b-000005',
    ]);
    expect((await lease(16, shared(0))).jobs).to.deep.equal([]);
    expect((await lease(16, shared(0))).isMoreDue).to.equal(true);
  });

  it("knows whose a job is by its key, and counts what is nobody's as one merchant", async () => {
    await put(null, 8, -60);
    await db('scheduled_jobs')
      .where('key', '<=', 'nobody-000003')
      .update({ key: db.raw("'mer_a ' || key") });
    const held = [{ merchant_id: '', held: 9 }];
    const leased = await lease(16, { slots: { free: 10, factor: 1, held } });
    expect(leased.jobs.map(({ merchant_id }) => merchant_id)).to.deep.equal(['mer_a', 'mer_a', 'mer_a']);
  });

  it('gives a merchant of twice the weight twice the slots', async () => {
    const merchants = [
      { id: 'mer_heavy', weight: 2 },
      { id: 'mer_light', weight: 1 },
    ];
    await db('merchants').insert(
      merchants.map((one) => ({
        ...one,
        name: 'Shop',
        settlement_currency: 'USDC',
        settlement_network: 'ethereum',
        webhooks_updated_at: NOW,
        created_at: NOW,
      })),
    );
    for (const { id } of merchants) await put(id, 50, -60);
    const leased = await lease(12, { slots: { free: 1_000, factor: 1, held: [] } });
    const heavy = leased.jobs.filter(({ merchant_id }) => merchant_id === 'mer_heavy');
    expect(heavy).to.have.length(8);
  });

  it("leaves out what is not due and other jobs, and takes nobody's", async () => {
    await put('mer_a', 2, -60);
    await put('mer_b', 5, 60);
    await put(null, 5, -60);
    await put('mer_c', 5, -60, 'test.other');
    const leased = await lease(10);
    expect(leased.jobs.filter(({ merchant_id }) => merchant_id === null)).to.have.length(5);
    expect(leased.jobs).to.have.length(7);
    expect(leased.isMoreDue).to.equal(false);
    expect(await lease(10)).to.deep.equal({ jobs: [], isMoreDue: false, after: '' });
  });

  it('waits for no other run, and leases nothing that it has locked', async () => {
    await put('mer_a', 20, -60);
    const tx = await db.transaction();
    expect((await lease(3, {}, tx)).jobs).to.have.length(3);
    expect((await lease(10)).jobs.every(({ key }) => key > 'mer_a-000012')).to.equal(true);
    await tx.commit();
  });

  it('costs what it looks at, beside 100,000 jobs that are not due and 100,000 that are', async () => {
    await put('mer_a', 100_000, 3_600);
    await put('mer_b', 100_000, -3_600);
    await put('mer_c', 1, -1);
    await db.raw('ANALYZE scheduled_jobs');
    for (const plan of await explain(db, (tx) => lease(10, {}, tx)))
      expect(rowsRead(plan, 'scheduled_jobs'), plan).to.be.at.most(80);
  });
});
