import { Pool } from 'pg';
import { handleOnce, type PgClient, type WebhookEvent } from '../../src/sdk/index.ts';

/**
 * A merchant's process that handles one event (EVENT, JSON), and kills itself with SIGKILL at a step (STEP):
 * step 1 is before the first statement, step 2 after it, and so on. Prints "done" where it lived.
 */
const step = Number(process.env['STEP']);
const event = JSON.parse(process.env['EVENT'] ?? '') as WebhookEvent;
const missing = JSON.parse(process.env['MISSING'] ?? '[]') as WebhookEvent[];
const pool = new Pool({ connectionString: process.env['DATABASE_URL'] });

let passed = 0;
const dieAt = () => {
  passed += 1;
  if (passed === step) process.kill(process.pid, 'SIGKILL');
};

const dying = {
  async connect(): Promise<PgClient> {
    const client = await pool.connect();
    return {
      async query(text, values) {
        dieAt();
        const result = await client.query(text, values);
        dieAt();
        return result;
      },
      release: (error) => client.release(error),
    };
  },
};

await handleOnce(dying, event, (tx, { id }) => tx.query('INSERT INTO effects (event_id) VALUES ($1)', [id]), {
  fetchMissing: () => Promise.resolve(missing),
});
dieAt();
console.log('done');
await pool.end();
