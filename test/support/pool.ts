import { once } from 'node:events';
import { Pool } from 'pg';

/**
 * Opens a pool of `pg`. `close` resolves once its connections have ended: `pool.end` resolves before that,
 * and a database that is dropped then terminates them, which nobody listens for any more.
 */
export function openPool(connectionString: string): { pool: Pool; close: () => Promise<void> } {
  const pool = new Pool({ connectionString, max: 20 });
  const ends: Promise<unknown>[] = [];
  pool.on('connect', (client) => void ends.push(once(client, 'end')));
  return {
    pool,
    async close() {
      await pool.end();
      await Promise.all(ends);
    },
  };
}
