import { addSeconds } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import { IS_MOVING } from '../../moves/steps.ts';
import { deleteInChunks, run, sql } from '../../../platform/postgres/db.ts';
import type { Placeholders } from '../../../platform/postgres/sql.ts';
import { OWNER_IN } from './destination.ts';

/**
 * How long deliveries and their attempts are kept at least. An endpoint that was idle for as long needs no
 * row.
 */
export const RETENTION_SECONDS = 30 * 86_400;

interface IdleParams {
  readonly idleSince: Date;
  readonly systemNow: Date;
}

/**
 * SQL: whether an endpoint `e` is idle. A merchant's own endpoint stays, and so do a disabled one that was
 * not deleted, and that of a payment whose test clock is frozen. One that was never used counts from its
 * creation; so does that of a payment with a test clock, whose times say nothing of its age. A lease that has
 * ended is that of a run that died.
 */
const IS_IDLE = (p: Placeholders<IdleParams>) => `e.id <> e.merchant_id AND NOT ${IS_MOVING('e.merchant_id')}
       AND (e.disabled_at IS NULL OR EXISTS (
         SELECT FROM endpoint_registrations r WHERE r.id = e.registration_id AND r.deleted_at IS NOT NULL))
       AND (e.leased_by IS NULL OR e.leased_until <= ${p.systemNow})
       AND e.created_at < ${p.idleSince}
       AND (starts_with(e.id, 'pay_')
         OR coalesce(greatest(e.last_success_at, e.last_failure_at), e.created_at) < ${p.idleSince})
       AND NOT EXISTS (SELECT FROM deliveries d WHERE d.endpoint_id = e.id AND d.status = 'pending')
       AND NOT EXISTS (
         SELECT FROM payments p WHERE p.id = ${OWNER_IN('e.id')} AND p.clock_frozen_until > ${p.systemNow})`;

const lockIdle = sql<{ id: string }, IdleParams & { limit: number }>(
  'lock_idle_endpoints',
  (p) => `
   SELECT e.id FROM webhook_endpoints e WHERE ${IS_IDLE(p)} ORDER BY e.id LIMIT ${p.limit} FOR UPDATE`,
);
// What was so before the lock was awaited is asked once more: a run may have acquired the endpoint, or a
// delivery begun again. A delivery may be created after that, too: the run that finds its endpoint missing
// restores it.
const deleteIdle = sql<{ id: string }, IdleParams & { ids: readonly string[] }>(
  'delete_idle_endpoints',
  (p) => `
   DELETE FROM webhook_endpoints e WHERE e.id = ANY (${p.ids}) AND ${IS_IDLE(p)} RETURNING e.id`,
);

// What the log of deliveries shows of a deleted endpoint ends with the retention, too. A deletion is not
// taken back, and a deleted registration gets no endpoint.
const deleteRegistrations = sql<{ id: string }, { deletedBefore: Date; limit: number }>(
  'delete_ended_endpoint_registrations',
  (p) => `
   DELETE FROM endpoint_registrations WHERE id = ANY (ARRAY(
     SELECT id FROM endpoint_registrations r
     WHERE deleted_at < ${p.deletedBefore} AND NOT ${IS_MOVING('r.merchant_id')} AND NOT EXISTS (
       SELECT FROM webhook_endpoints o WHERE o.merchant_id = r.merchant_id AND o.registration_id = r.id)
     LIMIT ${p.limit}))
   RETURNING id`,
);

/**
 * Deletes endpoints of callback URLs, and of registrations, to which nothing was sent for the retention
 * period, and registrations that the merchant has deleted; returns how many.
 */
export async function sweepEndpoints(ctx: Context): Promise<number> {
  const systemNow = ctx.systemNow();
  const idleSince = addSeconds(systemNow, -RETENTION_SECONDS);
  const idle = await deleteInChunks((limit) =>
    ctx.db.transaction(async (tx) => {
      const locked = await run(tx, lockIdle, { idleSince, systemNow, limit });
      const ids = locked.map(({ id }) => id);
      return (await run(tx, deleteIdle, { idleSince, systemNow, ids })).length;
    }),
  );
  const ended = await deleteInChunks(
    async (limit) => (await run(ctx.db, deleteRegistrations, { deletedBefore: idleSince, limit })).length,
  );
  return idle + ended;
}
