import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { openDb, run, sql } from '../../src/platform/postgres/db.ts';
import {
  build,
  endAll,
  freePort,
  startProcess,
  type ProcessName,
  type Service,
} from '../processes/service.ts';
import { ENGINES } from '../support/engines.ts';
import {
  itKeepingPrepared,
  PGBOUNCERS,
  startPgBouncer,
  type RunningPgBouncer,
} from '../support/pgbouncer.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { startService } from '../support/service.ts';
import { settlePayments } from '../support/settled.ts';

const timeouts = sql<{ statement: string; lock: string; pid: number }>(
  'test_timeouts_behind_pooler',
  `SELECT current_setting('statement_timeout') AS statement, current_setting('lock_timeout') AS lock,
     pg_backend_pid() AS pid`,
);
const all = sql('test_all_columns', 'SELECT * FROM things');

const SHARED = { pool_mode: 'transaction', max_prepared_statements: 200, default_pool_size: 5 };
const OPTIONS = { acquireMs: 5_000, poolSize: 5, name: 'test' };

for (const pgbouncer of PGBOUNCERS) {
  const { version, keepsPrepared } = pgbouncer;
  const itKeeping = itKeepingPrepared(pgbouncer);
  describe(`behind PgBouncer ${version}`, () => {
    const poolers: RunningPgBouncer[] = [];
    const through = async (url: string, settings: Record<string, string | number>) => {
      const pooler = await startPgBouncer(pgbouncer, url, settings);
      poolers.push(pooler);
      return pooler.url;
    };
    afterEach(async () => {
      await Promise.all(poolers.splice(0).map((pooler) => pooler.stop()));
    });

    for (const engine of ENGINES) {
      itKeeping(`payments are settled in transaction mode, queues on ${engine.name}`, async () => {
        const service = await startService(engine, {
          addresses: async (url) => ({
            DATABASE_URL: await through(url, SHARED),
            DATABASE_DIRECT_URL: url,
          }),
        });
        try {
          await Promise.all([service.startWorker(), service.startWorker()]);
          await settlePayments(service, 15);
        } finally {
          await service.close();
        }
      });

      it(`payments are settled in session mode, queues on ${engine.name}`, async () => {
        const service = await startService(engine, {
          addresses: async (url) => ({
            DATABASE_URL: await through(url, { pool_mode: 'session', default_pool_size: 90 }),
          }),
        });
        try {
          await service.startWorker();
          await settlePayments(service, 15);
        } finally {
          await service.close();
        }
      });
    }

    describe('one database', () => {
      let database: TestDatabase;
      beforeEach(async () => {
        database = await createTestDatabase();
      });
      afterEach(() => database.drop());

      itKeeping(
        'two processes with other time limits share connections, and each has its own limits',
        async () => {
          const url = await through(database.url, SHARED);
          const web = openDb({ url, queryMs: 1_200, ...OPTIONS });
          const worker = openDb({ url, queryMs: 60_000, ...OPTIONS });
          try {
            const pids = new Map<number, Set<string>>();
            for (let round = 0; round < 20; round += 1)
              for (const [db, statement, lock] of [
                [web, '1s', '900ms'],
                [worker, '50s', '45s'],
              ] as const) {
                const alone = (await run(db, timeouts, []))[0];
                const inside = await db.transaction(async (tx) => (await run(tx, timeouts, []))[0]);
                for (const row of [alone, inside]) {
                  expect(row).to.include({ statement, lock });
                  pids.set(row?.pid ?? 0, (pids.get(row?.pid ?? 0) ?? new Set()).add(statement));
                }
              }
            expect(
              [...pids.values()].some((of) => of.size === 2),
              'a connection served both',
            ).to.equal(true);
          } finally {
            await web.destroy();
            await worker.destroy();
          }
        },
      );

      itKeeping('a statement runs again after a migration has changed its columns', async () => {
        const direct = openDb({ url: database.url, queryMs: 5_000, ...OPTIONS });
        const db = openDb({ url: await through(database.url, SHARED), queryMs: 5_000, ...OPTIONS });
        try {
          await direct.raw('CREATE TABLE things (a int); INSERT INTO things VALUES (1)');
          expect(await run(db, all, [])).to.deep.equal([{ a: 1 }]);
          await direct.raw('ALTER TABLE things ADD b int');
          for (let times = 0; times < 3; times += 1)
            expect(await run(db, all, [])).to.deep.equal([{ a: 1, b: null }]);
        } finally {
          await db.destroy();
          await direct.destroy();
        }
      });
    });

    describe('processes', () => {
      let database: TestDatabase;
      before(async () => {
        build();
        database = await createTestDatabase();
      });
      afterEach(endAll);
      after(() => database.drop());

      const start = async (
        name: ProcessName,
        env: Record<string, string>,
        meanwhile: (service: Service) => Promise<unknown> = () => Promise.resolve(),
      ) => {
        const service = startProcess(name, {
          NODE_ENV: 'production',
          SECRETS_KEY: randomBytes(32).toString('base64'),
          PUBLIC_URL: 'https://pay.example',
          HOST: '127.0.0.1',
          PORT: String(await freePort()),
          ...env,
        });
        await meanwhile(service);
        return { code: await service.ended(), output: service.output().trim() };
      };

      it('a release through transaction mode says what to set, and works with DATABASE_DIRECT_URL, again and again', async () => {
        const DATABASE_URL = await through(database.url, { pool_mode: 'transaction' });
        const refused = await start('release', { DATABASE_URL });
        expect(refused.code).to.equal(1);
        expect(refused.output).to.match(
          /^DATABASE_URL leads through a pooler .* Set DATABASE_DIRECT_URL to Postgres itself/,
        );
        for (let times = 0; times < 3; times += 1)
          expect((await start('release', { DATABASE_URL, DATABASE_DIRECT_URL: database.url })).code).to.equal(
            0,
          );
      });

      it('a release through session mode works, again and again', async () => {
        const DATABASE_URL = await through(database.url, { pool_mode: 'session' });
        for (let times = 0; times < 3; times += 1)
          expect((await start('release', { DATABASE_URL })).code).to.equal(0);
      });

      const lacking = keepsPrepared ? { max_prepared_statements: 0 } : {};
      const refusal = /^The pooler of DATABASE_URL .* set max_prepared_statements = 200; .*pool_mode/m;
      for (const name of ['web', 'worker'] as const)
        for (const settings of [
          { pool_mode: 'transaction' },
          // To find out takes longer than a request waits for a connection.
          { pool_mode: 'transaction', default_pool_size: 1 },
          { pool_mode: 'statement' },
        ])
          it(`${name} without prepared statements says what to set, ${JSON.stringify(settings)}`, async () => {
            const DATABASE_URL = await through(database.url, { ...settings, ...lacking });
            const { code, output } = await start(name, { DATABASE_URL, DATABASE_DIRECT_URL: database.url });
            expect(code).to.equal(1);
            expect(output).to.match(refusal);
          });

      it('web that was started before the pooler refuses as soon as it can ask', async () => {
        const listen_port = await freePort();
        const url = new URL(database.url);
        url.port = String(listen_port);
        const env = { DATABASE_URL: url.href, DATABASE_DIRECT_URL: database.url };
        const { code, output } = await start('web', env, async (web) => {
          await web.says('"listening"');
          await through(database.url, { pool_mode: 'transaction', listen_port, ...lacking });
        });
        expect(code).to.equal(1);
        expect(output).to.include('"listening"').and.match(refusal);
      });

      itKeeping('a worker whose queues live in Postgres says that it needs a direct URL', async () => {
        const { code, output } = await start('worker', {
          DATABASE_URL: await through(database.url, SHARED),
        });
        expect(code).to.equal(1);
        expect(output).to.match(/^DATABASE_URL leads through a pooler .* Set DATABASE_DIRECT_URL/);
      });
    });
  });
}
