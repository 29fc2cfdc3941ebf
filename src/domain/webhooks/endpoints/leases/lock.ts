import { run, sql, type Connection } from '../../../../platform/postgres/db.ts';
import { transact } from '../../../../platform/postgres/transactions/transact.ts';

// It returns no column, so that it shares a round trip with the statement that follows (transact.ts). All
// take endpoints in the order of their ids, and before the jobs of endpoints: two that share some never wait
// for each other for ever.
const lockEndpoints = sql<never, { endpointIds: readonly string[] }>(
  'lock_webhook_endpoints',
  (p) => `
   SELECT FROM webhook_endpoints WHERE id = ANY (${p.endpointIds}) ORDER BY id FOR NO KEY UPDATE`,
);

/**
 * Does `work` in one transaction that has locked endpoints, or in the transaction that `connection` is. The
 * statements of `work` begin once the locks are held: one that waits for a lock itself reads all else as it
 * was before it waited, and a run would send again what another has just delivered.
 */
export async function withEndpointsLocked<Result>(
  connection: Connection,
  endpointIds: readonly string[],
  work: (on: Connection) => Promise<Result>,
): Promise<Result> {
  const locked = async (on: Connection) => {
    await run(on, lockEndpoints, { endpointIds });
    return work(on);
  };
  return 'isCompleted' in connection ? locked(connection) : transact(connection, locked);
}
