import { expect } from 'chai';
import pg from 'pg';
import { createRetryingBackend } from '../../src/background/queue-errors.ts';
import { migrateQueues } from '../../src/background/queues.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';

interface ListenClient {
  query(text: string): Promise<unknown>;
}

/** What BullMQ's backend has beside its types. */
interface Backend {
  readonly connection: {
    getListenClient(): Promise<ListenClient>;
    handleListenClientError(client: ListenClient, error: Error): void;
  };
  waitForJob(seconds: number): Promise<unknown>;
  on(event: 'error', listener: () => void): void;
  close(): Promise<void>;
}

describe('a worker of a queue on Postgres whose connection ends with the reply to LISTEN', () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  before(async () => {
    database = await createTestDatabase();
    await migrateQueues(database.url);
    pool = new pg.Pool({ connectionString: database.url, options: '-c search_path=bullmq' });
  });
  after(async () => {
    await pool.end();
    await database.drop();
  });

  it('does not wait for its notifications, and listens on the next connection', async () => {
    const options = { connection: pool } as unknown as Parameters<typeof createRetryingBackend>[1];
    const backend = createRetryingBackend('relay', options, {}) as unknown as Backend;
    // As a worker has one: an error that nobody hears is thrown.
    backend.on('error', () => undefined);
    const { connection } = backend;
    const client = await connection.getListenClient();
    const query = client.query.bind(client);
    client.query = async (text) => {
      const reply = await query(text);
      connection.handleListenClientError(client, new Error('ended'));
      return reply;
    };
    const waited = await backend.waitForJob(3_600).then(String, String);
    expect(waited).to.equal('Error: the connection that listens for jobs has ended');
    const sent: string[] = [];
    const next = await connection.getListenClient();
    expect(next).to.not.equal(client);
    const queryNext = next.query.bind(next);
    next.query = (text) => {
      sent.push(text);
      return queryNext(text);
    };
    await backend.waitForJob(0.01);
    expect(sent.join()).to.include('LISTEN');
    await backend.close();
  });
});
