import { addSeconds } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import { deleteInChunks, run, sql } from '../../../platform/postgres/db.ts';

/**
 * How long deliveries and their attempts are kept at least. An endpoint that was idle for as long needs no
 * row.
 */
export const RETENTION_SECONDS = 30 * 86_400;
// A merchant's own endpoint stays, and so do a disabled one and that of a payment whose test clock is frozen.
// One that was never used counts from its creation; so does that of a payment with a test clock, whose times
// say nothing of its age. A lease that has ended is that of a run that died. The deletion may race with the
// creation of a delivery to the endpoint: the run that finds the endpoint missing restores it.
const deleteIdle = sql<{ id: string }, { idleSince: Date; systemNow: Date; limit: number }>(
  'delete_idle_endpoints',
  (p) => `
   DELETE FROM webhook_endpoints WHERE id = ANY (ARRAY(
     SELECT id FROM webhook_endpoints e
     WHERE id <> merchant_id AND disabled_at IS NULL
       AND (leased_by IS NULL OR leased_until <= ${p.systemNow})
       AND created_at < ${p.idleSince}
       AND (starts_with(id, 'pay_')
         OR coalesce(greatest(last_success_at, last_failure_at), created_at) < ${p.idleSince})
       AND NOT EXISTS (SELECT FROM deliveries d WHERE d.endpoint_id = e.id AND d.status = 'pending')
       AND NOT EXISTS (
         SELECT FROM payments p WHERE p.id = e.id AND p.clock_frozen_until > ${p.systemNow})
     LIMIT ${p.limit}))
   RETURNING id`,
);

/**
 * Deletes endpoints of callback URLs to which nothing was sent for the retention period; returns how many.
 */
export async function sweepEndpoints(ctx: Context): Promise<number> {
  const systemNow = ctx.systemNow();
  const idleSince = addSeconds(systemNow, -RETENTION_SECONDS);
  return deleteInChunks(
    async (limit) => (await run(ctx.db, deleteIdle, { idleSince, systemNow, limit })).length,
  );
}
