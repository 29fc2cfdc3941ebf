import { expect } from 'chai';
import { leaseDue } from '../../../src/domain/schedule/lease.ts';
import { overdue } from '../../../src/domain/schedule/lateness.ts';
import {
  cancel,
  ensureScheduled,
  finish,
  recordFailure,
  reschedule,
  schedule,
} from '../../../src/domain/schedule/store.ts';
import { addSeconds } from '../../../src/platform/clock.ts';
import { openDb, run, sql, type Connection, type Db } from '../../../src/platform/postgres/db.ts';
import { defineJob } from '../../../src/domain/schedule/job.ts';
import { explain, rowsRead } from '../../support/explain.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

const bulk = defineJob('test.bulk', 'sandbox', { batch: 100 });
const other = defineJob('test.other', 'clean-up');

const LEASE_SECONDS = 30;
const T0 = new Date('2026-01-31T12:00:00.000Z');
const at = (seconds: number) => addSeconds(T0, seconds);

interface Row {
  readonly job: string;
  readonly key: string;
  readonly run_at: Date;
  readonly visible_at: Date;
  readonly failures: number;
  readonly last_error: string | null;
}
const allRows = sql<Row>(
  'test_all_due',
  'SELECT job, key, run_at, visible_at, failures, last_error FROM scheduled_jobs ORDER BY job, key',
);

describe('a scheduled job', () => {
  let database: TestDatabase;
  let db: Db;
  beforeEach(async () => {
    database = await createTestDatabase();
    db = openDb({ url: database.url, poolSize: 20, acquireMs: 10_000, queryMs: 20_000, name: 'test' });
  });
  afterEach(async () => {
    await db.destroy();
    await database.drop();
  });

  const put = (keys: readonly string[], seconds = 0, job = bulk) =>
    schedule(
      db,
      keys.map((key) => ({ job, key, runAt: at(seconds), testClock: null })),
    );
  const claim = async (
    seconds: number,
    limits: Record<string, number> = { [bulk.name]: 1000 },
    connection: Connection = db,
  ) => {
    const work: string[] = [];
    for (const [job, count] of Object.entries(limits)) {
      const request = { job, count, now: at(seconds), leaseEnd: at(seconds + LEASE_SECONDS) };
      work.push(...(await leaseDue(connection, request)).jobs.map(({ key }) => key));
    }
    return work.sort();
  };
  const rows = () => run(db, allRows, []);
  const keys = async () => (await rows()).map(({ key }) => key);
  const range = (count: number) =>
    Array.from({ length: count }, (_, i) => `key-${String(i).padStart(6, '0')}`);

  it('is leased when it is due, and not a millisecond before', async () => {
    await put(['a'], 10);
    expect(await claim(9.999)).to.deep.equal([]);
    expect(await claim(10)).to.deep.equal(['a']);
  });

  it('that was leased and lost comes back exactly when its lease ends, again and again', async () => {
    await put(['a']);
    for (let lease = 0; lease < 5; lease += 1) {
      expect(await claim(lease * LEASE_SECONDS)).to.deep.equal(['a']);
      expect(await claim(lease * LEASE_SECONDS + LEASE_SECONDS - 0.001)).to.deep.equal([]);
    }
  });

  it('is leased once where 8 runs ask at once, and all of it', async () => {
    const wanted = range(4_000);
    await put(wanted);
    const got: string[] = [];
    // A run takes 100 at a time and stops when it finds nothing: what another has locked is passed over,
    // not waited for.
    const lease = async () => {
      for (
        let more = await claim(0, { [bulk.name]: 100 });
        more.length > 0;
        more = await claim(0, { [bulk.name]: 100 })
      )
        got.push(...more);
    };
    await Promise.all(Array.from({ length: 8 }, lease));
    expect(got).to.have.length(4_000);
    expect(new Set(got)).to.deep.equal(new Set(wanted));
  });

  it('that commits late is found, though what came after it was leased long ago', async () => {
    const held = await db.transaction();
    await schedule(held, [{ job: bulk, key: 'a-late', runAt: at(0), testClock: null }]);
    await put(['b', 'c'], 5);
    expect(await claim(10)).to.deep.equal(['b', 'c']);
    await finish(db, bulk, ['b', 'c'], at(10));
    await held.commit();
    expect(await claim(20)).to.deep.equal(['a-late']);
  });

  it('of one job, 10,000 pieces of it, does not hold up another', async () => {
    await put(range(10_000), -3_600);
    await put(['urgent'], 0, other);
    const limits = { [bulk.name]: 100, [other.name]: 100 };
    const first = await claim(0, limits);
    expect(first).to.include('urgent');
    expect(first).to.have.length(101);
  });

  it('is leased oldest first, one whose lease ended behind those that were never leased', async () => {
    await put(['a'], -10);
    await put(['b'], -20);
    await put(['c'], -15);
    expect(await claim(0, { [bulk.name]: 2 })).to.deep.equal(['b', 'c']);
    await put(['d'], 1);
    expect(await claim(LEASE_SECONDS, { [bulk.name]: 2 })).to.deep.equal(['a', 'd']);
  });

  it('that was not asked for is unchanged', async () => {
    await put(['a']);
    expect(await claim(0, { [other.name]: 10 })).to.deep.equal([]);
    expect(await claim(0, {})).to.deep.equal([]);
    expect(await claim(0)).to.deep.equal(['a']);
  });

  it('takes no more than its limit, whatever the planner makes of the statement', async () => {
    await put(range(5_000));
    await put(range(5_000), 0, other);
    // Before and after statistics, the planner has to do without one kind of join or scan after the other.
    for (const statistics of ['SELECT 1', 'ANALYZE scheduled_jobs'])
      for (const kind of ['tidscan', 'nestloop', 'hashjoin', 'mergejoin', 'indexscan', 'seqscan']) {
        const count = await db.transaction(async (tx) => {
          await tx.raw(`${statistics}; SET LOCAL enable_${kind} = off`);
          return (await claim(0, { [bulk.name]: 7, [other.name]: 5 }, tx)).length;
        });
        expect(count, `${statistics}, no ${kind}`).to.equal(12);
      }
  });

  describe('finish', () => {
    it('cancels what was leased', async () => {
      await put(['a', 'b']);
      await claim(0);
      await finish(db, bulk, ['a'], at(1));
      expect(await keys()).to.deep.equal(['b']);
    });

    it('leaves what was moved to a later time while it was being done', async () => {
      await put(['a']);
      await claim(0);
      await put(['a'], 500);
      await finish(db, bulk, ['a'], at(1));
      expect(await claim(499)).to.deep.equal([]);
      expect(await claim(500)).to.deep.equal(['a']);
    });

    it('keeps a job that was rescheduled for now while it ran, at the very same instant too', async () => {
      for (const seconds of [0, 1]) {
        await put(['a']);
        await claim(0);
        await put(['a'], seconds);
        await finish(db, bulk, ['a'], at(0));
        expect(await keys()).to.deep.equal(['a']);
      }
    });

    it('keeps a job that was rescheduled and leased again meanwhile', async () => {
      await put(['a']);
      await claim(0);
      await put(['a'], 2);
      await claim(3);
      await finish(db, bulk, ['a'], at(1));
      expect(await claim(3 + LEASE_SECONDS)).to.deep.equal(['a']);
    });

    it('of another job does not touch it', async () => {
      await put(['a']);
      await put(['a'], 0, other);
      await claim(0, { [bulk.name]: 1, [other.name]: 1 });
      await finish(db, other, ['a', 'b'], at(0));
      await finish(db, other, [], at(0));
      expect((await rows()).map(({ job }) => job)).to.deep.equal([bulk.name]);
    });

    it('belongs to the transaction that did the work', async () => {
      await put(['a']);
      await claim(0);
      const failure = db.transaction(async (tx) => {
        await finish(tx, bulk, ['a'], at(0));
        throw new Error('not done after all');
      });
      await failure.catch(() => undefined);
      expect(await claim(LEASE_SECONDS)).to.deep.equal(['a']);
    });
  });

  it('cancel takes away whatever time it was for', async () => {
    await put(['a'], 9_999);
    await put(['b']);
    await cancel(db, bulk, ['a', 'c']);
    expect(await keys()).to.deep.equal(['b']);
  });

  describe('reschedule', () => {
    const again = (key: string, startedAt: number, runAt: number) =>
      reschedule(db, bulk, key, { startedAt: at(startedAt), runAt: at(runAt), testClock: null });

    it('moves what was leased to its next time, and forgets its failures', async () => {
      await put(['a']);
      await claim(0);
      await recordFailure(db, bulk, ['a'], 'oh', at(0));
      await claim(10);
      await again('a', 10, 60);
      expect(await rows()).to.deep.equal([
        { job: bulk.name, key: 'a', run_at: at(60), visible_at: at(60), failures: 0, last_error: null },
      ]);
    });

    it('keeps a job that was rescheduled meanwhile, and writes again one that is gone', async () => {
      await put(['a']);
      await claim(0);
      await put(['a'], 1);
      await again('a', 0, 60);
      await again('gone', 0, 60);
      expect((await rows()).map(({ key, run_at }) => [key, run_at])).to.deep.equal([
        ['a', at(1)],
        ['gone', at(60)],
      ]);
    });
  });

  it('declared by every worker at its start stays where it is', async () => {
    await put(['a'], 77);
    const declared = ['a', 'b'].map((key) => ({ job: bulk, key, runAt: at(0), testClock: null }));
    await Promise.all(Array.from({ length: 8 }, () => ensureScheduled(db, declared)));
    expect((await rows()).map(({ key, run_at }) => [key, run_at])).to.deep.equal([
      ['a', at(77)],
      ['b', at(0)],
    ]);
  });

  it('that overlaps, scheduled in opposite orders at once, does not deadlock', async () => {
    const wanted = range(300);
    await Promise.all(
      Array.from({ length: 16 }, (_, i) =>
        schedule(
          db,
          (i % 2 === 0 ? wanted : wanted.toReversed()).map((key) => ({
            job: bulk,
            key,
            runAt: at(i),
            testClock: null,
          })),
        ),
      ),
    );
    expect(await rows()).to.have.length(300);
  });

  describe('that fails', () => {
    it('comes back after 1 s, 2 s, 4 s ... at most 10 min, is never given up, and says why', async () => {
      await put(['a']);
      const waits: number[] = [];
      let now = 0;
      for (let failures = 1; failures <= 20; failures += 1) {
        expect(await claim(now)).to.deep.equal(['a']);
        await recordFailure(db, bulk, ['a'], `reason ${failures}`, at(now));
        const [row] = await rows();
        expect(row).to.include({ failures, last_error: `reason ${failures}` });
        const wait = ((row?.visible_at.getTime() ?? 0) - at(now).getTime()) / 1000;
        waits.push(wait);
        now += wait;
      }
      expect(waits.slice(0, 10)).to.deep.equal([1, 2, 4, 8, 16, 32, 64, 128, 256, 512]);
      expect(new Set(waits.slice(10))).to.deep.equal(new Set([600]));
    });

    it('is unchanged where it was rescheduled meanwhile', async () => {
      await put(['a', 'b']);
      await claim(0);
      await put(['a'], 500);
      await put(['b'], 0);
      await recordFailure(db, bulk, ['a', 'b'], 'oh', at(0));
      expect(await rows()).to.deep.equal([
        { job: bulk.name, key: 'a', run_at: at(500), visible_at: at(500), failures: 0, last_error: null },
        { job: bulk.name, key: 'b', run_at: at(0), visible_at: at(0), failures: 0, last_error: null },
      ]);
    });

    it('keeps no more than 1000 characters of the reason', async () => {
      await put(['a']);
      await claim(0);
      await recordFailure(db, bulk, ['a'], 'é'.repeat(5_000), at(0));
      expect((await rows())[0]?.last_error).to.equal('é'.repeat(1000));
    });
  });

  describe('overdue', () => {
    it('counts what is due for 5 s and not finished, of all jobs, and since when the oldest is due', async () => {
      expect(await overdue(db, at(0))).to.deep.equal({ count: 0, oldestSeconds: 0 });
      await put(['a'], -100);
      await put(['b'], -5);
      await put(['fresh'], -4.999);
      await put(['future'], 100);
      await put(['x', 'y'], -200, other);
      expect(await overdue(db, at(0))).to.deep.equal({ count: 4, oldestSeconds: 200 });
      // A lease hides a job, and does not make it earlier.
      await claim(0, { [bulk.name]: 1000, [other.name]: 1000 });
      expect(await overdue(db, at(0))).to.deep.equal({ count: 4, oldestSeconds: 200 });
      await finish(db, other, ['x', 'y'], at(0));
      expect(await overdue(db, at(0))).to.deep.equal({ count: 2, oldestSeconds: 100 });
    });

    it('counts to 1000', async () => {
      await put(range(1_200), -10);
      expect((await overdue(db, at(0))).count).to.equal(1000);
    });
  });

  describe('with 200,000 rows', () => {
    /** Much that is due later, as open payments make it, and a backlog that is due now. */
    beforeEach(async () => {
      await db.raw(
        `INSERT INTO scheduled_jobs (job, key, run_at, visible_at)
         SELECT CASE WHEN i % 10 = 0 THEN 'test.bulk' ELSE 'test.later' END, 'key-' || i, t, t
         FROM generate_series(1, 200000) AS i, LATERAL (SELECT ?::timestamptz + CASE WHEN i % 10 = 0 THEN -i ELSE i END * interval '1 s' AS t) AS times`,
        [T0],
      );
      await db.raw('ANALYZE scheduled_jobs');
    });

    it('leasing reads its window and the rows that it takes, by the index, and no others', async () => {
      for (const plan of await explain(db, (tx) => claim(0, { 'test.bulk': 100, 'test.later': 100 }, tx))) {
        expect(plan).to.match(/Index Scan using scheduled_jobs_due on scheduled_jobs/);
        // The window, which is locked, and what is leased of it.
        expect(rowsRead(plan, 'scheduled_jobs'), plan).to.be.at.most(600);
      }
    });

    it('finishing finds its rows by their keys', async () => {
      const done = range(200).map((key) => key.replace('key-0', 'key-1'));
      for (const plan of await explain(db, (tx) => finish(tx, bulk, done, T0)))
        expect(rowsRead(plan, 'scheduled_jobs'), plan).to.be.at.most(200);
    });

    it('counting what is overdue reads, of what is not due, only what a lease could hide', async () => {
      await db.raw(`DELETE FROM scheduled_jobs WHERE job = 'test.bulk'`);
      await db.raw('VACUUM ANALYZE scheduled_jobs');
      for (const plan of await explain(db, (tx) => overdue(tx, T0)))
        expect(rowsRead(plan, 'scheduled_jobs'), plan).to.be.at.most(40);
    });
  });
});
