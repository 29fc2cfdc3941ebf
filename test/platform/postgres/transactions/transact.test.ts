import { expect } from 'chai';
import { openDb, run, sql, type Db, type Tx } from '../../../../src/platform/postgres/db.ts';
import { beginLast, pipelined } from '../../../../src/platform/postgres/transactions/pipelined.ts';
import { transact } from '../../../../src/platform/postgres/transactions/transact.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/postgres.ts';
import { statementsOf } from '../../../support/statements.ts';

const insert = sql<never, { value: number }>(
  'test_transact_insert',
  (p) => `INSERT INTO transacted VALUES (${p.value}::integer)`,
);
const sum = sql<{ sum: string }>(
  'test_transact_sum',
  'SELECT coalesce(sum(value), 0) AS sum FROM transacted',
);

const mode = sql<{ mode: string }>(
  'test_transact_mode',
  `SELECT current_setting('synchronous_commit') AS mode`,
);

describe('a transaction in few round trips', () => {
  let database: TestDatabase;
  let db: Db;
  before(async () => {
    database = await createTestDatabase();
    db = openDb({ url: database.url, poolSize: 1, acquireMs: 5_000, queryMs: 20_000, name: 'transacting' });
    await db.raw('CREATE TABLE transacted (value integer CHECK (value > 0))');
    await transact(db, twice(1, 2));
  });
  after(async () => {
    await db.destroy();
    await database.drop();
  });
  beforeEach(() => db.raw('DELETE FROM transacted'));

  const total = async (connection: Db | Tx = db) => Number((await run(connection, sum, []))[0]?.sum);
  const twice = (first: number, second: number) => async (tx: Tx) => {
    await run(tx, insert, { value: first });
    const [before_, after_] = await pipelined(
      tx,
      () => total(tx),
      () => total(tx),
    );
    await run(tx, insert, { value: second });
    return [before_, after_];
  };
  const failure = (promise: Promise<unknown>) => promise.then(String, (error: unknown) => error);

  it('begins with its first statement, and commits with its last', async () => {
    const sent = await statementsOf(async () =>
      expect(await transact(db, twice(1, 2))).to.deep.equal([1, 1]),
    );
    expect(sent).to.deep.equal([
      'BEGIN; test_transact_insert; test_transact_sum; test_transact_sum',
      'test_transact_insert; COMMIT',
    ]);
    expect(await total()).to.equal(3);
  });

  it('waits for the disk, unless its caller can do without', async () => {
    // Tests' servers never wait for it.
    await db.raw('SET synchronous_commit TO on');
    const modeOf = async (on: Db | Tx) => (await run(on, mode, []))[0]?.mode;
    expect(await transact(db, modeOf)).to.equal('on');
    const sent = await statementsOf(async () =>
      expect(await transact(db, modeOf, { waitsForDisk: false })).to.equal('off'),
    );
    expect(sent).to.deep.equal(['BEGIN; SET LOCAL synchronous_commit TO off; test_transact_mode', 'COMMIT']);
    expect(await modeOf(db)).to.equal('on');
  });

  it('commits with a last statement whose result is read', async () => {
    const work = async (tx: Tx) => {
      await run(tx, insert, { value: 3 });
      return beginLast(tx, () => total(tx));
    };
    const sent = await statementsOf(async () => expect(await (await transact(db, work)).result).to.equal(3));
    expect(sent).to.deep.equal(['BEGIN; test_transact_insert; test_transact_sum; COMMIT']);
    const failing = (tx: Tx) => beginLast(tx, () => run(tx, insert, { value: -1 }));
    expect(await failure(transact(db, failing))).to.have.property('code', '23514');
    expect(await failure(db.transaction(failing))).to.have.property('code', '23514');
    expect(await total()).to.equal(3);
  });

  it('does nothing when a statement fails whose result nobody reads', async () => {
    expect(await failure(transact(db, twice(1, -1)))).to.have.property('code', '23514');
    expect(await total()).to.equal(0);
  });

  it('does nothing when COMMIT fails', async () => {
    await db.raw('ALTER TABLE transacted ADD UNIQUE (value) DEFERRABLE INITIALLY DEFERRED');
    expect(await failure(transact(db, twice(1, 1)))).to.have.property('code', '23505');
    expect(await total()).to.equal(0);
  });

  it('does nothing when the work throws, and its error is the one', async () => {
    const fault = new Error('a fault');
    const work = async (tx: Tx) => {
      await twice(1, 2)(tx);
      throw fault;
    };
    expect(await failure(transact(db, work))).to.equal(fault);
    expect(await total()).to.equal(0);
  });

  it('tells those who wait for its end whether it was committed', async () => {
    const ends: string[] = [];
    const note = (tx: Tx) =>
      void tx.executionPromise.then(
        () => ends.push('committed'),
        () => ends.push('undone'),
      );
    await transact(db, async (tx) => {
      note(tx);
      await total(tx);
      expect(ends).to.deep.equal([]);
    });
    await failure(
      transact(db, async (tx) => {
        note(tx);
        await run(tx, insert, { value: -1 });
      }),
    );
    expect(ends).to.deep.equal(['committed', 'undone']);
  });
});
