import { addSeconds } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import { run, sql } from '../../../platform/postgres/db.ts';

/**
 * How long deliveries and their attempts are kept at least. An endpoint that was idle for as long needs no
 * row.
 */
export const RETENTION_SECONDS = 30 * 86_400;
/** Rows that one statement deletes: it holds its locks for milliseconds. */
export const DELETE_BATCH = 5_000;

/**
 * Calls `deleteBatch`, which returns how many rows it deleted, until a batch is not full; returns the sum.
 */
export async function deleteInBatches(deleteBatch: () => Promise<number>): Promise<number> {
  for (let total = 0; ;) {
    const count = await deleteBatch();
    total += count;
    if (count < DELETE_BATCH) return total;
  }
}

// A merchant's own endpoint stays, and so does a disabled one. The deletion may race with the creation of a
// delivery to the endpoint: the run that finds the endpoint missing restores it.
const deleteIdle = sql<{ id: string }, { idleSince: Date }>(
  'delete_idle_endpoints',
  (p) => `
   DELETE FROM webhook_endpoints WHERE id = ANY (ARRAY(
     SELECT id FROM webhook_endpoints e
     WHERE id <> merchant_id AND leased_by IS NULL AND disabled_at IS NULL
       AND greatest(last_success_at, last_failure_at) < ${p.idleSince}
       AND NOT EXISTS (SELECT FROM deliveries d WHERE d.endpoint_id = e.id AND d.status = 'pending')
     LIMIT ${DELETE_BATCH}))
   RETURNING id`,
);

/**
 * Deletes endpoints of callback URLs to which nothing was sent for the retention period; returns how many.
 */
export async function sweepEndpoints(ctx: Context): Promise<number> {
  const idleSince = addSeconds(ctx.systemNow(), -RETENTION_SECONDS);
  return deleteInBatches(async () => (await run(ctx.db, deleteIdle, { idleSince })).length);
}
