import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { openQueueEngine } from '../../src/background/queues.ts';
import { QUEUE_NAMES } from '../../src/domain/schedule/job.ts';
import { captureLog } from '../support/logs.ts';
import { PGBOUNCERS, startPgBouncer, type RunningPgBouncer } from '../support/pgbouncer.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { until } from '../support/until.ts';

/** Less than a window of the log's sampler, so that no count begins again. */
const WATCHED_MS = 8_000;
/** What the sampler writes of one source, here a queue, in a window. */
const LINES_PER_QUEUE = 10;

for (const pgbouncer of PGBOUNCERS)
  describe(`PgBouncer ${pgbouncer.version} refuses the connections of the queues`, () => {
    let database: TestDatabase;
    let pooler: RunningPgBouncer;
    before(async () => {
      database = await createTestDatabase();
      pooler = await startPgBouncer(pgbouncer, database.url, { pool_mode: 'session' });
    });
    after(async () => {
      await pooler.stop();
      await database.drop();
    });

    it('and the log gets some lines of each queue, not one of each try', async () => {
      const { log, lines } = captureLog();
      let errors = 0;
      const counted = Object.create(log, {
        warn: { value: (...args: Parameters<typeof log.warn>) => ((errors += 1), log.warn(...args)) },
      }) as typeof log;
      // PgBouncer closes a connection that brings this parameter, before it asks Postgres.
      const databaseDirectUrl = `${pooler.url}?options=-c%20search_path%3Dbullmq`;
      const engine = openQueueEngine({ redisUrl: null, databaseDirectUrl }, counted);
      const queues = QUEUE_NAMES.map((name) => engine.openQueue(name));
      const workers = QUEUE_NAMES.map((name) => engine.openWorker(name, () => Promise.resolve(), 4));
      try {
        await until('it is refused', () => lines().length > 0);
        await sleep(WATCHED_MS);
        expect(String(lines()[0]?.error)).to.match(/unsupported startup parameter/);
        expect(lines().length).to.be.at.most(QUEUE_NAMES.length * LINES_PER_QUEUE);
        // Each queue and each worker tries about once in a second.
        expect(errors, 'tries').to.be.at.most((QUEUE_NAMES.length * 4 * WATCHED_MS) / 1_000);
      } finally {
        engine.stopWaiting();
        await Promise.all([...workers, ...queues].map((each) => each.close()));
        await engine.close();
      }
    });
  });
