import { expect } from 'chai';
import { openDb, run, sql, type Db } from '../../../../src/platform/postgres/db.ts';
import { MergedTransactions } from '../../../../src/platform/postgres/transactions/merged.ts';
import { pipelined } from '../../../../src/platform/postgres/transactions/pipelined.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/postgres.ts';
import { statementsOf } from '../../../support/statements.ts';

const insert = sql<never, { value: number }>(
  'test_merged_insert',
  (p) => `INSERT INTO merged_numbers VALUES (${p.value}::integer)`,
);
const sum = sql<{ sum: string }>(
  'test_merged_sum',
  'SELECT coalesce(sum(value), 0) AS sum FROM merged_numbers',
);
const echo = sql<{ value: number }, { value: number }>(
  'test_merged_echo',
  (p) => `SELECT ${p.value}::integer AS value`,
);

describe('merged transactions', () => {
  let database: TestDatabase;
  let db: Db;
  before(async () => {
    database = await createTestDatabase();
    db = openDb({ url: database.url, poolSize: 1, acquireMs: 5_000, queryMs: 20_000, name: 'merged' });
    await db.raw('CREATE TABLE merged_numbers (value integer PRIMARY KEY CHECK (value > 0))');
    // Its results show which statement returns nothing, and the one connection prepares them.
    await run(db, insert, { value: 1 });
    const first = new MergedTransactions(db);
    await run(first.db, insert, { value: 2 });
    await Promise.all([run(first.db, sum, []), run(first.db, echo, { value: 1 })]);
    await first.commit();
  });
  after(async () => {
    await db.destroy();
    await database.drop();
  });
  beforeEach(() => db.raw('DELETE FROM merged_numbers'));

  const total = async (connection = db) => Number((await run(connection, sum, []))[0]?.sum);
  const failure = (promise: Promise<unknown>) => promise.then(String, (error: unknown) => error);

  it('commit together, and what returns nothing goes with what does', async () => {
    const merged = new MergedTransactions(db);
    const sent = await statementsOf(async () => {
      await merged.db.transaction((tx) => run(tx, insert, { value: 1 }));
      await merged.db.transaction((tx) => run(tx, insert, { value: 2 }));
      expect(await total(merged.db)).to.equal(3);
      await run(merged.db, insert, { value: 4 });
      await merged.commit();
    });
    expect(sent).to.deep.equal([
      'BEGIN; test_merged_insert; test_merged_insert; test_merged_sum',
      'test_merged_insert; COMMIT',
    ]);
    expect(await total()).to.equal(7);
  });

  it('send what is done together in one round trip, in its order', async () => {
    const merged = new MergedTransactions(db);
    await run(merged.db, echo, { value: 0 });
    const late = async (value: number) => {
      for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
      return run(merged.db, echo, { value });
    };
    const sent = await statementsOf(async () => {
      const [first, count, third] = await pipelined(
        merged.db,
        () => late(1),
        () => total(merged.db),
        () => run(merged.db, echo, { value: 3 }),
      );
      expect([first, count, third]).to.deep.equal([[{ value: 1 }], 0, [{ value: 3 }]]);
    });
    expect(sent).to.deep.equal(['test_merged_echo; test_merged_sum; test_merged_echo']);
    await merged.rollback(null);
  });

  it('fail as a whole, with the error of the first statement that fails, which may return nothing', async () => {
    const merged = new MergedTransactions(db);
    await run(merged.db, insert, { value: 1 });
    await run(merged.db, insert, { value: -1 });
    const committed = await failure(merged.commit());
    expect(committed).to.have.property('code', '23514');
    expect([merged.isOpen, merged.isUndone]).to.deep.equal([false, true]);
    // The connection is sound, and `db` is the pool again.
    expect(await total(merged.db)).to.equal(0);
  });

  it('fail as a whole when one of them fails, although its caller goes on', async () => {
    const merged = new MergedTransactions(db);
    const fault = new Error('a fault');
    const counted = { isRejected: false };
    const one = merged.db.transaction(async (tx) => {
      await run(tx, insert, { value: 1 });
      void tx.executionPromise.catch(() => (counted.isRejected = true));
      throw fault;
    });
    expect(await failure(one)).to.equal(fault);
    expect(await failure(run(merged.db, sum, []))).to.equal(fault);
    expect(await failure(merged.commit())).to.equal(fault);
    expect(await total()).to.equal(0);
    expect(counted.isRejected).to.equal(true);
  });

  it('are transactions of the pool once they were committed', async () => {
    const merged = new MergedTransactions(db);
    await run(merged.db, insert, { value: 1 });
    await merged.commit();
    const later = merged.db.transaction(async (tx) => {
      await run(tx, insert, { value: 2 });
      throw new Error('only this one');
    });
    expect(await failure(later)).to.be.an('error');
    expect(await merged.rollback(null)).to.equal(false);
    expect(await total()).to.equal(1);
  });
});
