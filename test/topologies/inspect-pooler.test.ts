import { expect } from 'chai';
import { inspectPooling } from '../../src/platform/postgres/pooler.ts';
import {
  itKeepingPrepared,
  PGBOUNCERS,
  startPgBouncer,
  type RunningPgBouncer,
} from '../support/pgbouncer.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';

describe('finding out about a pooler', () => {
  let database: TestDatabase;
  let pooler: RunningPgBouncer | null = null;
  before(async () => {
    database = await createTestDatabase();
  });
  afterEach(() => pooler?.stop());
  after(() => database.drop());

  it('finds none on Postgres itself', async () => {
    expect(await inspectPooling(database.url)).to.deep.equal({ mode: 'session', keepsPrepared: true });
  });

  it('has a PgBouncer to test', () => {
    expect(PGBOUNCERS.length).to.be.at.least(1);
  });

  for (const pgbouncer of PGBOUNCERS) {
    const pools = [{ default_pool_size: 20 }, { default_pool_size: 1 }, { server_round_robin: 1 }];
    const cases = [
      { settings: { pool_mode: 'session' }, finds: { mode: 'session', keepsPrepared: true }, test: it },
      {
        settings: { pool_mode: 'transaction', max_prepared_statements: 200 },
        finds: { mode: 'transaction', keepsPrepared: true },
        test: itKeepingPrepared(pgbouncer),
      },
      {
        settings: {
          pool_mode: 'transaction',
          ...(pgbouncer.keepsPrepared ? { max_prepared_statements: 0 } : {}),
        },
        finds: { mode: 'transaction', keepsPrepared: false },
        test: it,
      },
    ];
    for (const { settings, finds, test } of cases)
      for (const pool of pools) {
        // Two clients in session mode need two connections.
        if (finds.mode === 'session' && pool.default_pool_size === 1) continue;
        test(`PgBouncer ${pgbouncer.version}, ${JSON.stringify({ ...settings, ...pool })}`, async () => {
          pooler = await startPgBouncer(pgbouncer, database.url, { ...settings, ...pool });
          for (let times = 0; times < 3; times += 1)
            expect(await inspectPooling(pooler.url)).to.deep.equal(finds);
        });
      }
  }
});
