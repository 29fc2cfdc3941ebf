import { expect } from 'chai';
import { Leadership } from '../../../src/platform/postgres/leadership.ts';
import { openDb, type Db } from '../../../src/platform/postgres/db.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { until } from '../../support/until.ts';

describe('leadership by an advisory lock', () => {
  let database: TestDatabase;
  let db: Db;
  let all: Leadership[];
  before(async () => {
    database = await createTestDatabase();
    db = openDb({ url: database.url, poolSize: 1, acquireMs: 10_000, queryMs: 10_000, name: 'test' });
  });
  beforeEach(() => (all = []));
  afterEach(async () => {
    await Promise.all(all.map((one) => one.end()));
  });
  after(async () => {
    await db.destroy();
    await database.drop();
  });

  const join = (name: string, key = 'watch ethereum') => {
    const leadership = new Leadership(database.url, name, key);
    all.push(leadership);
    return leadership;
  };

  it('is held by one, until its connection ends, and then by another', async () => {
    const [first, second] = [join('first'), join('second')];
    expect([await first.hold(), await second.hold(), await first.hold()]).to.deep.equal([true, false, true]);
    await first.end();
    await until('the second leads', () => second.hold());
    expect(await first.hold()).to.equal(false);
  });

  it('of one key says nothing of another', async () => {
    expect(await join('first').hold()).to.equal(true);
    expect(await join('second', 'watch polygon').hold()).to.equal(true);
  });

  it('is noticed to be lost, and is asked for again, on another connection', async () => {
    const [first, second] = [join('first'), join('second')];
    await first.hold();
    await db.raw(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'first'`);
    await until('the second leads', () => second.hold());
    const outcome = await first.hold().then(
      (leads) => leads,
      () => 'lost',
    );
    expect(outcome).to.equal('lost');
    expect(await first.hold()).to.equal(false);
  });
});
