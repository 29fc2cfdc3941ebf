import { once } from 'node:events';
import { Pool, type PoolClient, type PoolConfig } from 'pg';

/**
 * Opens a pool of `pg`. `close` resolves once its connections have ended: `pool.end` resolves before that,
 * and a database that is dropped then terminates them, which nobody listens for any more.
 */
export function openPool(
  connectionString: string,
  options: PoolConfig = {},
): { pool: Pool; close: () => Promise<void> } {
  const pool = new Pool({ connectionString, max: 20, ...options });
  const open = new Set<PoolClient>();
  pool.on('connect', (client) => void open.add(client));
  pool.on('remove', (client) => void open.delete(client));
  return {
    pool,
    async close() {
      await pool.end();
      while (open.size > 0) await once(pool, 'remove');
    },
  };
}
