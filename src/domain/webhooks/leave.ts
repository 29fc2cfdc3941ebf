import type { Context } from '../../platform/context.ts';
import { run, runOne, sql } from '../../platform/db.ts';
import { schedule } from '../due-work/store.ts';
import { deliverWebhook } from './jobs.ts';
import type { Hold, Prepared } from './prepare.ts';

// The version closes the race with whoever adds deliveries meanwhile: scheduling counts it up in the transaction that adds them, so that
// the row is as it was only if the look before has seen all there was. It is counted up here as well, for those who found the endpoint
// held and are about to put the work off until the hold ends.
const leaveEndpoint = sql<{ id: string }>(
  'leave_endpoint',
  `WITH next AS (
     SELECT CASE WHEN min(next_attempt_at) IS NOT NULL THEN greatest(min(next_attempt_at), $5::timestamptz) END AS at
     FROM deliveries WHERE endpoint_id = $1 AND status = 'pending'
   ), later AS (
     UPDATE due_work SET run_at = next.at, failures = 0, last_error = NULL, version = version + 1,
       visible_at = greatest(next.at - make_interval(secs => $6::float8 / 1000), $7::timestamptz)
     FROM next WHERE job = $3 AND key = $1 AND version = $4 AND next.at IS NOT NULL RETURNING key
   ), done AS (
     DELETE FROM due_work USING next WHERE job = $3 AND key = $1 AND version = $4 AND next.at IS NULL RETURNING key
   )
   UPDATE webhook_endpoints SET held_by = NULL, held_until = NULL
   WHERE id = $1 AND held_by = $2 AND (EXISTS (SELECT FROM later) OR EXISTS (SELECT FROM done)
     OR $4::integer IS NULL AND NOT EXISTS (SELECT FROM due_work WHERE job = $3 AND key = $1))
   RETURNING id`,
);

/**
 * Gives the endpoint back, with its work due again when its next delivery is and its circuit is closed. False, and nothing is done, when
 * more was scheduled since `prepared` was read: look again.
 */
export async function leave(
  ctx: Context,
  { endpointId, holder }: Hold,
  prepared: Prepared,
): Promise<boolean> {
  const left = await runOne(ctx.db, leaveEndpoint, [
    endpointId,
    holder,
    deliverWebhook.name,
    prepared.version,
    prepared.pace.openUntil,
    ctx.clock?.offsetMs ?? 0,
    ctx.clock?.heldUntil ?? null,
  ]);
  return left !== null;
}

const releaseEndpoint = sql(
  'release_endpoint',
  `UPDATE webhook_endpoints SET held_by = NULL, held_until = NULL WHERE id = $1 AND held_by = $2`,
);

/** Gives the endpoint back although there may be more to do: its work is due again at once. */
export async function leaveInTheMiddle(ctx: Context, { endpointId, holder }: Hold): Promise<void> {
  // In this order: handed over while the endpoint is still held, it would wait for the end of the hold.
  await run(ctx.db, releaseEndpoint, [endpointId, holder]);
  await schedule(ctx.db, [{ job: deliverWebhook, key: endpointId, runAt: ctx.now(), clock: ctx.clock }]);
}
