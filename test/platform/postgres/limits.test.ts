import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import {
  isUnavailable,
  openDb,
  run,
  runOne,
  sql,
  type Db,
  type Tx,
} from '../../../src/platform/postgres/db.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { until } from '../../support/until.ts';

const QUERY_MS = 600;
const POOL_SIZE = 4;

const settings = sql<{ name: string; setting: string }>(
  'test_limits',
  `SELECT name, setting FROM pg_settings WHERE name ~ '_timeout$' AND name ~ '^(s|l|idle_in|tr)'`,
);
const backends = sql<{ count: number }>(
  'test_backends',
  `SELECT count(*)::int FROM pg_stat_activity
   WHERE datname = current_database() AND application_name = 'limited'`,
);
const insert = sql('test_insert_note', 'INSERT INTO notes (text) VALUES ($1)');
const notes = sql<{ text: string }>('test_notes', 'SELECT text FROM notes ORDER BY text');
const nap = sql('test_long_nap', 'SELECT pg_sleep(5)');
const ping = sql('test_limit_ping', 'SELECT 1');

describe("the server's time limits", () => {
  let database: TestDatabase;
  let db: Db;
  let operator: Db;
  beforeEach(async () => {
    database = await createTestDatabase();
    operator = openDb({
      url: database.url,
      poolSize: 2,
      acquireMs: 5_000,
      queryMs: 60_000,
      name: 'operator',
    });
    await operator.raw('CREATE TABLE notes (text text NOT NULL UNIQUE)');
    db = open();
  });
  afterEach(async () => {
    await db.destroy();
    await operator.destroy();
    await database.drop();
  });

  const open = (queryMs = QUERY_MS) =>
    openDb({ url: database.url, poolSize: POOL_SIZE, acquireMs: 300, queryMs, name: 'limited' });
  const reopen = async () => {
    await db.destroy();
    db = open();
  };
  const limits = async () =>
    Object.fromEntries((await run(db, settings, [])).map(({ name, setting }) => [name, Number(setting)]));
  const outcomeOf = (promise: Promise<unknown>) =>
    promise.then(
      () => 'done',
      (error: unknown) => (isUnavailable(error) ? 'unavailable' : String(error)),
    );
  const countBackends = async () => (await runOne(operator, backends, []))?.count ?? 0;
  /** Runs `work` while an operator holds the table; returns the most backends that were seen. */
  const whileTableIsHeld = async (work: (tx: Tx) => Promise<void>) =>
    operator.transaction(async (tx) => {
      await tx.raw('LOCK TABLE notes');
      await work(tx);
    });

  it('are all below what the client waits for a result', async () => {
    const given = await limits();
    expect(Object.keys(given).sort()).to.deep.equal([
      'idle_in_transaction_session_timeout',
      'lock_timeout',
      'statement_timeout',
      'transaction_timeout',
    ]);
    for (const ms of Object.values(given)) expect(ms).to.be.within(1, QUERY_MS - 1);
  });

  it("leave shorter ones of the role or the database as they are, and longer ones don't count", async () => {
    const name = new URL(database.url).pathname.slice(1);
    await operator.raw(`ALTER DATABASE "${name}" SET statement_timeout = '123ms'`);
    await operator.raw(`ALTER DATABASE "${name}" SET lock_timeout = '1h'`);
    await reopen();
    const given = await limits();
    expect(given.statement_timeout).to.equal(123);
    expect(given.lock_timeout).to.be.within(1, QUERY_MS - 1);
  });

  it('end a statement before its caller leaves: it does not happen later, and its connection stays', async () => {
    await run(db, ping, []);
    let most = 0;
    await whileTableIsHeld(async () => {
      for (let round = 0; round < 3; round += 1) {
        const writes = Array.from({ length: 12 }, (_, i) => outcomeOf(run(db, insert, [`${round} ${i}`])));
        expect(new Set(await Promise.all(writes))).to.deep.equal(new Set(['unavailable']));
        most = Math.max(most, await countBackends());
      }
    });
    expect(most).to.be.at.most(POOL_SIZE);
    await run(db, insert, ['after']);
    expect(await run(operator, notes, [])).to.deep.equal([{ text: 'after' }]);
  });

  it('end a statement whose caller left first, and no connection comes on top of the pool', async () => {
    // Limits of the server that are longer than the client's, as behind a slow network.
    await db.destroy();
    const late = { statementMs: 1_500, lockMs: 1_500, idleInTransactionMs: 1_500, transactionMs: 1_500 };
    const options = { url: database.url, poolSize: POOL_SIZE, acquireMs: 300, queryMs: 300, name: 'limited' };
    db = openDb({ ...options, limits: late });
    let most = 0;
    await whileTableIsHeld(async () => {
      for (let round = 0; round < 4; round += 1) {
        const writes = Array.from({ length: 8 }, (_, i) => outcomeOf(run(db, insert, [`${round} ${i}`])));
        await Promise.all(writes);
        most = Math.max(most, await countBackends());
      }
      // Each keeps its place until Postgres has given it up, while it still waits for the lock.
      await until('the backends end', async () => (await countBackends()) === 0);
    });
    expect(most).to.be.at.most(POOL_SIZE);
    await until('the pool serves again', async () => (await outcomeOf(run(db, ping, []))) === 'done');
    expect(await run(operator, notes, [])).to.deep.equal([]);
  });

  it('end a transaction that stands still, and one that goes on for too long', async () => {
    const still = db.transaction(async (tx) => {
      await run(tx, insert, ['still']);
      await sleep(QUERY_MS);
      await run(tx, insert, ['still too']);
    });
    const long = db.transaction(async (tx) => {
      for (let i = 0; i < 100; i += 1) {
        await run(tx, insert, [`long ${i}`]);
        await sleep(QUERY_MS / 10);
      }
    });
    expect(await Promise.all([outcomeOf(still), outcomeOf(long)])).to.deep.equal([
      'unavailable',
      'unavailable',
    ]);
    expect(await run(operator, notes, [])).to.deep.equal([]);
  });

  it('are unavailability, like a deadlock and a read-only database, and no error of the service', async () => {
    expect(await outcomeOf(run(db, nap, []))).to.equal('unavailable');
    await operator.raw(`INSERT INTO notes VALUES ('a'), ('b')`);
    await db.destroy();
    db = open(20_000);
    let locked = 0;
    const lockBoth = (first: string, second: string) =>
      outcomeOf(
        db.transaction(async (tx) => {
          const lock = (text: string) => tx.raw('SELECT FROM notes WHERE text = ? FOR UPDATE', [text]);
          await lock(first);
          locked += 1;
          await until('each has locked its first', () => locked === 2);
          await lock(second);
        }),
      );
    const both = await Promise.all([lockBoth('a', 'b'), lockBoth('b', 'a')]);
    expect(both).to.have.members(['done', 'unavailable']);
    const name = new URL(database.url).pathname.slice(1);
    await operator.raw(`ALTER DATABASE "${name}" SET default_transaction_read_only = on`);
    await reopen();
    expect(await outcomeOf(run(db, insert, ['refused']))).to.equal('unavailable');
  });

  it('fire only for what has not come: a result that waited for a busy process is read', async () => {
    await run(db, ping, []);
    const written = outcomeOf(run(db, insert, ['stored']));
    await new Promise(setImmediate);
    const end = performance.now() + 2 * QUERY_MS;
    while (performance.now() < end);
    expect(await written).to.equal('done');
  });
});
