import { expect } from 'chai';
import { createPostgresBackend } from 'bullmq';
import pg from 'pg';
import { listeningBackends, readyBackends, waitForConnections } from '../../src/background/queue-errors.ts';
import { migrateQueues } from '../../src/background/queues.ts';
import { freePort } from '../support/free-port.ts';
import { captureLog } from '../support/logs.ts';
import { openPool } from '../support/pool.ts';
import { startPostgresProxy } from '../support/postgres-proxy.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { until } from '../support/until.ts';

const SEARCH_PATH = '-c search_path=bullmq';

describe('a worker of a queue on Postgres', () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  let close: () => Promise<void>;
  before(async () => {
    database = await createTestDatabase();
    await migrateQueues(database.url);
    ({ pool, close } = openPool(database.url, { options: SEARCH_PATH }));
  });
  after(async () => {
    await close();
    await database.drop();
  });

  const backendOf = (create: typeof createPostgresBackend, on = pool) => {
    const options = { connection: on } as unknown as Parameters<typeof createPostgresBackend>[1];
    const backend = create('relay', options, {});
    // As a worker has one: an error that nobody hears is thrown.
    backend.on('error', () => undefined);
    return backend;
  };

  it('whose connection ends with the reply to LISTEN listens on the next one', async () => {
    const listening: pg.PoolClient[] = [];
    pool.on('connect', (client) => {
      const query = client.query.bind(client) as (text: string) => Promise<unknown>;
      const queryThenEnd = async (text: string) => {
        const reply = await query(text);
        if (!text.includes('LISTEN')) return reply;
        listening.push(client);
        if (listening.length === 1) client.emit('error', new Error('ended'));
        return reply;
      };
      Object.assign(client, { query: queryThenEnd });
    });
    const backend = backendOf(listeningBackends(pool));
    // As long as this, it would be deaf.
    expect(await backend.waitForJob(3_600)).to.equal(null);
    await backend.waitForJob(0.01);
    expect(new Set(listening).size).to.equal(2);
    await backend.close();
  });

  it('whose first statement is cut off asks again, and works', async () => {
    const proxy = await startPostgresProxy(database.url);
    let isAsked = false;
    proxy.freezeWhen((sent) => (isAsked ||= sent.includes('min_client_version')));
    const own = openPool(proxy.url, { options: SEARCH_PATH });
    const stop = new AbortController();
    const backend = backendOf(readyBackends(own.pool, createPostgresBackend, stop.signal), own.pool);
    await until('it has asked', () => isAsked);
    proxy.thaw();
    await backend.waitUntilReady();
    expect(await backend.waitForJob(0.01)).to.equal(null);
    stop.abort();
    await backend.close();
    await own.close();
    await proxy.close();
  });
});

describe('a pool of the queues', () => {
  it('has its callers wait while no connection can be opened, logs that once, and ends', async () => {
    const port = await freePort();
    const pool = new pg.Pool({ host: '127.0.0.1', port, connectionTimeoutMillis: 1_000 });
    const { log, lines } = captureLog();
    const stop = new AbortController();
    waitForConnections(pool, log, stop.signal);
    const replies = Promise.allSettled([pool.query('SELECT 1'), pool.connect()]);
    await until('it has tried', () => lines().length > 0);
    stop.abort();
    expect((await replies).map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
    expect(lines()).to.have.length(1);
    expect(lines()[0]?.reason).to.equal('connection refused');
    await pool.end();
  });
});
