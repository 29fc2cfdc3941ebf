import { expect } from 'chai';
import { Lanes } from '../../../src/background/shares/lanes.ts';
import { openDb, run, sql, type Db } from '../../../src/platform/postgres/db.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { until } from '../../support/until.ts';

const POOL = 8;
const lock = sql<{ locked: string }>('test_lock', `SELECT pg_advisory_xact_lock_shared(1)::text AS locked`);
const read = sql<{ one: number }>('test_one', 'SELECT 1 AS one');

describe('the lanes of merchants in a pool', () => {
  let database: TestDatabase;
  let db: Db;
  let holder: Db;
  let lanes: Lanes;
  beforeEach(async () => {
    database = await createTestDatabase();
    const options = { url: database.url, acquireMs: 10_000, queryMs: 20_000, name: 'test' };
    db = openDb({ ...options, poolSize: POOL });
    holder = openDb({ ...options, poolSize: 2 });
    lanes = new Lanes(db);
  });
  afterEach(async () => {
    await db.destroy();
    await holder.destroy();
    await database.drop();
  });

  const merchant = (id: string) => ({ id, weight: 1 });
  const waitingForLock = async () => {
    const { rows } = await holder.raw<{ rows: { count: number }[] }>(
      `SELECT count(*)::int AS count FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`,
    );
    return rows[0]?.count ?? 0;
  };

  it('leave a connection to another merchant while 40 statements of one wait, and run them all in the end', async () => {
    const held = await holder.transaction();
    await held.raw('SELECT pg_advisory_xact_lock(1)');
    const loud = lanes.of(merchant('loud'));
    const statements = Array.from({ length: 40 }, (_, i) =>
      i % 2 === 0 ? run(loud, lock, []) : loud.transaction((tx) => run(tx, lock, [])),
    );
    await until('half of the pool waits', async () => (await waitingForLock()) === POOL / 2);
    expect(await run(lanes.of(merchant('quiet')), read, [])).to.deep.equal([{ one: 1 }]);
    expect(await run(db, read, [])).to.deep.equal([{ one: 1 }]);
    expect(await waitingForLock()).to.equal(POOL / 2);
    await held.commit();
    expect(await Promise.all(statements)).to.have.length(40);
  });

  it('give back the place of a statement that fails, and of a transaction that is rolled back', async () => {
    const own = lanes.of(merchant('failing'));
    const wrong = sql('test_wrong', 'SELECT 1 / 0');
    for (let i = 0; i < 3 * POOL; i += 1) {
      await run(own, wrong, []).then(
        () => expect.fail('it must throw'),
        (error: Error) => expect(error.message).to.contain('division by zero'),
      );
      await own
        .transaction(async () => {
          throw new Error('undone');
        })
        .catch((error: Error) => expect(error.message).to.equal('undone'));
    }
    expect(await run(own, read, [])).to.deep.equal([{ one: 1 }]);
  });
});
