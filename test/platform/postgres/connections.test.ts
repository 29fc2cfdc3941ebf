import { expect } from 'chai';
import { openDb, poolOf, run, sql, type Connection, type Db } from '../../../src/platform/postgres/db.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

const limit = sql<{ limit: string }>(
  'test_limit_of_lock',
  `SELECT current_setting('lock_timeout') AS "limit"`,
);
const prepared = sql<{ name: string }>(
  'test_prepared',
  `SELECT name FROM pg_prepared_statements WHERE name LIKE 'test_limit_of_lock'`,
);
const broken = sql<object, { text: string }>('test_broken', (p) => `SELECT 1 / length(${p.text})`);

describe('a connection of the pool', () => {
  let database: TestDatabase;
  let db: Db;
  beforeEach(async () => {
    database = await createTestDatabase();
    db = openDb({ url: database.url, poolSize: 1, acquireMs: 5_000, queryMs: 5_000, name: 'test' });
  });
  afterEach(async () => {
    await db.destroy();
    await database.drop();
  });

  it('prepares a statement under its name', async () => {
    await run(db, limit, []);
    expect(await run(db, prepared, [])).to.deep.equal([{ name: limit.name }]);
  });

  it("fails with the statement's name, and without its values", async () => {
    const error: unknown = await run(db, broken, { text: '' }).catch((fault: unknown) => fault);
    expect(String(error)).to.equal('error: test_broken - division by zero');
  });

  it('sets the limits at the beginning of each transaction where a pooler lends it for one', async () => {
    const connection = await poolOf(db).connect();
    connection.begin = `BEGIN; SET LOCAL lock_timeout = '123ms'`;
    connection.release();
    const limitOf = async (where: Connection) => (await run(where, limit, []))[0]?.limit;
    expect(await limitOf(db)).to.equal('123ms');
    expect(await db.transaction(limitOf)).to.equal('123ms');
    await run(db, broken, { text: '' }).catch(() => undefined);
    expect(connection.client.getTransactionStatus()).to.equal('I');
    expect((await connection.client.query<{ limit: string }>(limit.text)).rows[0]?.limit).to.equal('3750ms');
    expect(poolOf(db).usedCount).to.equal(0);
  });
});
