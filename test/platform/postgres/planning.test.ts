import { expect } from 'chai';
import { openDb, recordset, run, sql, type Db } from '../../../src/platform/postgres/db.ts';
import { selectSettings } from '../../../src/platform/postgres/session.ts';
import { explain, rowsRead } from '../../support/explain.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';

const ROWS = 10_000;

const update = sql<{ id: string }, { outcomes: string }>(
  'test_record_outcomes',
  (p) => `UPDATE parcels d SET status = o.status
   FROM json_to_recordset(${p.outcomes}::json) AS o (id text, status text)
   WHERE d.id = o.id AND d.status <> o.status RETURNING d.id`,
);
const join = sql<{ id: string }, { ids: readonly string[] }>(
  'test_events_of_parcels',
  (p) => `SELECT e.id FROM scans e JOIN parcels d ON d.id = e.parcel_id WHERE e.id = ANY (${p.ids})`,
);
const settings = sql<{ name: string; setting: string }>(
  'test_planning',
  `SELECT name, setting FROM pg_settings WHERE name ~ '^(enable_(seqscan|hashjoin|mergejoin|incremental_sort)|jit|plan_cache_mode)$'`,
);

/** As a new week's partition is: nothing has gathered statistics of it yet. */
const TABLES = `
  CREATE TABLE parcels (id text PRIMARY KEY, status text NOT NULL) WITH (autovacuum_enabled = off);
  CREATE TABLE scans (id text PRIMARY KEY, parcel_id text NOT NULL) WITH (autovacuum_enabled = off);`;

describe('the plans of statements', () => {
  let database: TestDatabase;
  let db: Db;
  beforeEach(async () => {
    database = await createTestDatabase();
    db = openDb({ url: database.url, poolSize: 1, acquireMs: 1_000, queryMs: 20_000, name: 'planned' });
    await db.raw(TABLES);
  });
  afterEach(async () => {
    await db.destroy();
    await database.drop();
  });

  it('find rows by keys, although they were made while the tables were empty and are kept', async () => {
    const plans = await explain(db, async (tx) => {
      // From the sixth time on Postgres keeps a plan; `explain` makes it keep, or not keep, the first.
      const statements = () =>
        Promise.all([
          run(tx, update, { outcomes: recordset([{ id: 'p7', status: 'delivered' }]) }),
          run(tx, join, { ids: ['s7'] }),
        ]);
      await statements();
      await tx.raw(`INSERT INTO parcels SELECT 'p' || i, 'pending' FROM generate_series(1, ${ROWS}) i`);
      await tx.raw(`INSERT INTO scans SELECT 's' || i, 'p' || i FROM generate_series(1, ${ROWS}) i`);
      expect(await statements()).to.deep.equal([[{ id: 'p7' }], [{ id: 's7' }]]);
    });
    const own = plans.filter((plan) => /test_|parcels d/.test(plan) && !plan.includes('generate_series'));
    expect(own).to.have.length(8);
    for (const plan of own) expect(rowsRead(plan, 'parcels'), plan).to.be.at.most(1);
  });

  it('are none that read whole tables, and are not compiled', async () => {
    const given = await run(db, settings, []);
    expect(new Map(given.map(({ name, setting }) => [name, setting]))).to.deep.equal(
      new Map([
        ['enable_hashjoin', 'off'],
        ['enable_incremental_sort', 'off'],
        ['enable_mergejoin', 'off'],
        ['enable_seqscan', 'off'],
        ['jit', 'off'],
        ['plan_cache_mode', 'force_generic_plan'],
      ]),
    );
  });

  it('follow the same rules in each transaction behind a pooler that shares connections', async () => {
    const { rows } = await db.raw<{ rows: { name: string; value: string }[] }>(
      selectSettings({ statementMs: 1, lockMs: 1, idleInTransactionMs: 1, transactionMs: 1 }),
    );
    expect(rows).to.deep.include.members([
      { name: 'enable_seqscan', value: 'off' },
      { name: 'statement_timeout', value: '1' },
    ]);
  });
});
