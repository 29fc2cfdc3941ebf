import { expect } from 'chai';
import { createPostgresBackend } from 'bullmq';
import type pg from 'pg';
import { nameStatements } from '../../src/background/queue-statements.ts';
import { migrateQueues } from '../../src/background/queues.ts';
import { openPool } from '../support/pool.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';

/** What BullMQ's backend has beside its types. */
interface Backend {
  moveToActive(token: string): Promise<[unknown, string, number, number]>;
  addJob(...job: unknown[]): Promise<unknown>;
  close(): Promise<void>;
}

describe('the statements of queues on Postgres', () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  let close: () => Promise<void>;
  let asked: string[];
  beforeEach(async () => {
    database = await createTestDatabase();
    await migrateQueues(database.url);
    ({ pool, close } = openPool(database.url, { options: '-c search_path=bullmq', max: 1 }));
    asked = [];
    const query = pool.query.bind(pool) as (text: string | pg.QueryConfig, values?: unknown[]) => unknown;
    Object.assign(pool, {
      query(text: string | pg.QueryConfig, values?: unknown[]) {
        asked.push(typeof text === 'string' ? text : text.text);
        return query(text, values);
      },
    });
  });
  afterEach(async () => {
    await close();
    await database.drop();
  });

  const openBackend = (queue = 'relay') =>
    createPostgresBackend(
      queue,
      { connection: pool } as unknown as Parameters<typeof createPostgresBackend>[1],
      {},
    ) as unknown as Backend;
  const prepared = async () =>
    (await pool.query<{ name: string }>('SELECT name FROM pg_prepared_statements')).rows.map(
      ({ name }) => name,
    );

  it('are prepared once for each connection', async () => {
    nameStatements(pool);
    for (const value of [1, 2])
      expect((await pool.query('SELECT $1::int AS value', [value])).rows).to.deep.equal([{ value }]);
    expect(await prepared()).to.deep.equal(['queue_0']);
  });

  it('are prepared again once a migration has changed the columns of a result', async () => {
    nameStatements(pool);
    const jobs = () => pool.query('SELECT * FROM job WHERE queue = $1', ['relay']);
    await jobs();
    await pool.query('ALTER TABLE job ADD COLUMN of_tomorrow text');
    expect((await jobs()).fields.map(({ name }) => name)).to.include('of_tomorrow');
    expect(await prepared()).to.deep.equal(['queue_0']);
  });

  it('do not ask again at once whether an idle queue has a limit, but do while it has one', async () => {
    nameStatements(pool);
    const backend = openBackend();
    const signals = () => asked.splice(0).filter((text) => text.includes('next_signal')).length;
    for (let i = 0; i < 3; i += 1)
      expect(await backend.moveToActive('token')).to.deep.equal([null, '', 0, 0]);
    expect(signals()).to.equal(1);
    await backend.close();
    await pool.query(`INSERT INTO meta (queue, field, value) VALUES
      ('limited', 'max', '1'), ('limited', 'duration', '60000')`);
    const limited = openBackend('limited');
    await pool.query(
      `SELECT rate_limit_consume('limited', 60000, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)`,
    );
    for (let i = 0; i < 3; i += 1) expect((await limited.moveToActive('token'))[2]).to.be.above(0);
    expect(signals()).to.equal(3);
    await limited.close();
  });
});
