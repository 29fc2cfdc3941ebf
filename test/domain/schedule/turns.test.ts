import { expect } from 'chai';
import { leaseDue } from '../../../src/domain/schedule/lease.ts';
import { awaitTurn, leaseTurns } from '../../../src/domain/schedule/turns.ts';
import { addSeconds } from '../../../src/platform/clock.ts';
import { openDb, type Db } from '../../../src/platform/postgres/db.ts';
import { explain, rowsRead } from '../../support/explain.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

const NOW = new Date('2026-01-31T12:00:00.000Z');
const LEASE_END = addSeconds(NOW, 30);
const JOB = 'test.turn';
const merchant = { id: 'mer_loud', weight: 1 };

describe('the turns of merchants, with 200,000 jobs that are due and 1,000 that one pass has leased', () => {
  let database: TestDatabase;
  let db: Db;
  beforeEach(async () => {
    database = await createTestDatabase();
    db = openDb({ url: database.url, poolSize: 2, acquireMs: 10_000, queryMs: 20_000, name: 'test' });
    await db.raw(
      `INSERT INTO scheduled_jobs (job, key, run_at, visible_at)
       SELECT ?, 'key-' || i, t, t FROM generate_series(1, 200000) AS i, LATERAL (SELECT ?::timestamptz AS t) AS times`,
      [JOB, NOW],
    );
  });
  afterEach(async () => {
    await db.destroy();
    await database.drop();
  });

  const leased = async () => {
    const jobs = await leaseDue(db, new Map([[JOB, 1_000]]), NOW, LEASE_END);
    return jobs.map(({ key }) => ({ job: JOB, key, merchant }));
  };

  // The statistics of a table that has just grown are those of an empty one.
  for (const [statistics, prepare] of [
    ['', (): unknown => db.raw('ANALYZE scheduled_jobs')],
    [', and statistics of before', (): unknown => undefined],
  ] as const)
    it(`a job that waits for its turn is found by its key${statistics}`, async () => {
      await prepare();
      const jobs = await leased();
      for (const count of [1, 500]) {
        const some = jobs.slice(0, count);
        for (const plan of await explain(db, (tx) => awaitTurn(tx, some, LEASE_END, NOW)))
          expect(rowsRead(plan, 'scheduled_jobs'), plan).to.be.at.most(4 * count);
      }
    });

  it('jobs whose lease is over, or that another transaction holds, do not wait', async () => {
    const jobs = await leased();
    const [held, finished, ...others] = jobs.slice(0, 4);
    await db.raw(`UPDATE scheduled_jobs SET visible_at = ? WHERE key = ?`, [NOW, finished?.key ?? '']);
    const tx = await db.transaction();
    await tx.raw('SELECT FROM scheduled_jobs WHERE key = ? FOR UPDATE', [held?.key ?? '']);
    await awaitTurn(db, jobs.slice(0, 4), LEASE_END, NOW);
    await tx.rollback();
    const turn = { job: JOB, merchant, count: 10 };
    const turns = await leaseTurns(db, [turn], LEASE_END);
    expect(turns.map(({ key }) => key)).to.have.members(others.map(({ key }) => key));
  });
});
