import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import pg from 'pg';
import { MigrationError, migrateToLatest } from '../../../src/platform/postgres/migrate.ts';
import { parseMigration } from '../../../src/platform/postgres/migrations/files.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { until } from '../../support/until.ts';

/** What a web process waits for a lock; beyond it, its caller gets a 503. */
const WEB_LOCK_MS = 900;

describe('a migration beside others', () => {
  let database: TestDatabase;
  const clients: pg.Client[] = [];
  const reports: { level: string; message: string; fields: Record<string, unknown> }[] = [];
  beforeEach(async () => {
    database = await createTestDatabase();
    reports.length = 0;
    const setUp = await connect('set-up');
    await setUp.query('CREATE TABLE a (n integer); CREATE TABLE b (n integer)');
  });
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.end()));
    await database.drop();
  });

  async function connect(name: string): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: database.url, application_name: name });
    await client.connect();
    clients.push(client);
    return client;
  }
  const migrate = (text: string, { transaction = true, patienceMs = 30_000 } = {}) =>
    migrateToLatest(database.url, {
      migrations: [
        parseMigration(
          '9000_test',
          `-- migrate:up${transaction ? '' : ' transaction:false'}\n${text}\n-- migrate:down\n`,
        ),
      ],
      patienceMs,
      report: (level, message, fields) => void reports.push({ level, message, fields }),
    });
  const failureOf = (promise: Promise<unknown>) =>
    promise.then(
      () => null,
      (error: unknown) => error,
    );

  it('lets everybody else through while it waits for a long reader, and says who that is', async () => {
    const [reader, web] = [await connect('pg_dump'), await connect('web')];
    await reader.query('BEGIN; SELECT * FROM a');
    await web.query(`SET lock_timeout = ${WEB_LOCK_MS}`);
    const over = new AbortController();
    const load = (async () => {
      for (; !over.signal.aborted; await sleep(5)) await web.query('INSERT INTO a VALUES (1)');
    })();
    const migrated = migrate('ALTER TABLE a ADD COLUMN t text;');
    await until('it has met the reader twice', () => reports.length >= 2);
    await reader.query('COMMIT');
    expect(await migrated).to.deep.equal(['9000_test']);
    over.abort();
    await load;
    const { rows } = await web.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE application_name = 'pg_dump' AND datname = current_database()`,
    );
    expect(reports[0]).to.deep.include({
      level: 'warn',
      message: 'a migration met other transactions and is tried again',
    });
    expect(reports[0]?.fields).to.include({ migration: '9000_test', attempt: 1, code: '55P03' });
    expect(reports[0]?.fields['by']).to.match(
      new RegExp(
        `^pid ${rows[0]?.pid} \\(pg_dump\\), idle in transaction, in a transaction for \\d+ s, query from 20`,
      ),
    );
  });

  it('stops by name when that takes too long, and leaves the schema as it was', async () => {
    const reader = await connect('report of the month');
    await reader.query('BEGIN; SELECT * FROM a');
    const error = await failureOf(
      migrate('CREATE TABLE c (n integer); ALTER TABLE a ADD COLUMN t text;', { patienceMs: 1_000 }),
    );
    expect(error).to.be.instanceOf(MigrationError);
    expect(String(error)).to.match(/Migration 9000_test met other transactions .*\(report of the month\)/);
    const { rows } = await reader.query(
      `SELECT to_regclass('c') AS c, (SELECT count(*)::int FROM schema_migrations WHERE name = '9000_test') AS done`,
    );
    expect(rows).to.deep.equal([{ c: null, done: 0 }]);
  });

  it('is repeated as a whole after a deadlock', async () => {
    const other = await connect('web');
    await other.query(`DO $$ BEGIN EXECUTE format(
      'ALTER DATABASE %I SET deadlock_timeout = 20', current_database()); END $$`);
    await other.query(`SET deadlock_timeout = '60s'; BEGIN; INSERT INTO b VALUES (1)`);
    const migrated = migrate(`
      LOCK TABLE a;
      DO $$ BEGIN
        WHILE NOT EXISTS (SELECT FROM b)
          AND NOT EXISTS (SELECT FROM pg_locks WHERE relation = 'a'::regclass AND NOT granted)
        LOOP PERFORM pg_sleep(0.01); END LOOP;
      END $$;
      ALTER TABLE b ADD COLUMN t text;`);
    await until('it has locked a', async () => {
      const { rowCount } = await other.query(
        `SELECT FROM pg_locks WHERE relation = 'a'::regclass AND mode = 'AccessExclusiveLock'`,
      );
      return rowCount === 1;
    });
    await other.query('INSERT INTO a VALUES (1)');
    await other.query('COMMIT');
    expect(await migrated).to.deep.equal(['9000_test']);
    expect(reports.map(({ fields }) => fields['code'])).to.deep.equal(['40P01']);
    expect((await other.query('SELECT t FROM b')).rows).to.deep.equal([{ t: null }]);
  });

  it('builds an index beside a long reader, without what an interrupted build left', async () => {
    const reader = await connect('pg_dump');
    await reader.query('INSERT INTO a VALUES (1), (1)');
    const build = 'CREATE UNIQUE INDEX CONCURRENTLY a_by_n ON a (n)';
    expect(await failureOf(reader.query(build))).to.be.instanceOf(Error);
    await reader.query('TRUNCATE a');
    const validity = async () => {
      const { rows } = await reader.query<{ indisvalid: boolean }>(
        `SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('a_by_n')`,
      );
      return rows.map(({ indisvalid }) => indisvalid);
    };
    expect(await validity()).to.deep.equal([false]);
    expect(await migrate(`-- why\n${build};`, { transaction: false })).to.deep.equal(['9000_test']);
    expect(await validity()).to.deep.equal([true]);
    // A release that was killed before it recorded the migration finds the index.
    await reader.query(`DELETE FROM schema_migrations WHERE name = '9000_test'`);
    expect(await migrate(`${build};`, { transaction: false })).to.deep.equal(['9000_test']);
  });

  it('reports an error of its own at once', async () => {
    expect(String(await failureOf(migrate('ALTER TABLE nowhere ADD COLUMN t text;')))).to.include('nowhere');
    expect(reports).to.deep.equal([]);
  });

  it('runs in one release at a time: another waits with a message, and stops by name', async () => {
    const [reader, looker] = [await connect('reader'), await connect('looker')];
    await reader.query('BEGIN; SELECT * FROM a');
    const first = migrate('ALTER TABLE a ADD COLUMN t text;');
    await until('the first meets the reader', () => reports.length > 0);
    const stopped = await failureOf(migrate('SELECT 1;', { patienceMs: 500 }));
    expect(stopped).to.be.instanceOf(MigrationError);
    expect(String(stopped)).to.match(/Another release migrates this database .* pid \d+ \(release\)/);
    const second = migrate('ALTER TABLE a ADD COLUMN t text;');
    const waiting = ({ message }: { message: string }) => message.startsWith('another release');
    await until('the second says so', () => reports.filter(waiting).length >= 2);
    await reader.query('COMMIT');
    expect(await Promise.all([first, second])).to.deep.equal([['9000_test'], []]);
    // A lock of a session would stay behind in a pooler's server connection.
    const { rowCount } = await looker.query(
      `SELECT FROM pg_locks WHERE locktype = 'advisory'
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    );
    expect(rowCount).to.equal(0);
  });
});
