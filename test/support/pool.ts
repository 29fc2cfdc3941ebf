import { Pool, type PoolConfig } from 'pg';

/**
 * Opens a pool of `pg`. `close` resolves once its connections have ended: `pool.end` resolves before that,
 * and a database that is dropped then terminates them, which nobody listens for any more.
 */
export function openPool(
  connectionString: string,
  options: PoolConfig = {},
): { pool: Pool; close: () => Promise<void> } {
  const pool = new Pool({ connectionString, max: 20, ...options });
  const ends: Promise<unknown>[] = [];
  pool.on('connect', (client) => {
    ends.push(new Promise<void>((resolve) => client.once('end', resolve)));
  });
  return {
    pool,
    async close() {
      await pool.end();
      await Promise.all(ends);
    },
  };
}
