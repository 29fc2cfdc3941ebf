import type { Context } from '../../../platform/context.ts';
import { run, runOne, sql } from '../../../platform/postgres/db.ts';
import { schedule } from '../../schedule/store.ts';
import { deliverWebhook } from '../endpoints/jobs.ts';
import type { EndpointLease, AcquiredEndpoint } from './acquire.ts';

// The version closes the race with whoever adds deliveries meanwhile: scheduling counts it up in the transaction that adds them, so that
// the row is as it was only if the look before has seen all there was. It is counted up here as well, for those who found the endpoint
// held and are about to put the work off until the hold ends.
const releaseWhenDone = sql<{ id: string }>(
  'leave_endpoint',
  `WITH next AS (
     SELECT CASE WHEN min(next_attempt_at) IS NOT NULL THEN greatest(min(next_attempt_at), $5::timestamptz) END AS at
     FROM deliveries WHERE endpoint_id = $1 AND status = 'pending'
   ), later AS (
     UPDATE scheduled_jobs SET run_at = next.at, failures = 0, last_error = NULL, version = version + 1,
       visible_at = greatest(next.at - make_interval(secs => $6::float8 / 1000), $7::timestamptz)
     FROM next WHERE job = $3 AND key = $1 AND version = $4 AND next.at IS NOT NULL RETURNING key
   ), done AS (
     DELETE FROM scheduled_jobs USING next WHERE job = $3 AND key = $1 AND version = $4 AND next.at IS NULL RETURNING key
   )
   UPDATE webhook_endpoints SET leased_by = NULL, leased_until = NULL
   WHERE id = $1 AND leased_by = $2 AND (EXISTS (SELECT FROM later) OR EXISTS (SELECT FROM done)
     OR $4::integer IS NULL AND NOT EXISTS (SELECT FROM scheduled_jobs WHERE job = $3 AND key = $1))
   RETURNING id`,
);

/**
 * Gives the endpoint back, with its work due again when its next delivery is and its circuit is closed. False, and nothing is done, when
 * more was scheduled since `prepared` was read: look again.
 */
export async function releaseEndpoint(
  ctx: Context,
  { endpointId, owner }: EndpointLease,
  prepared: AcquiredEndpoint,
): Promise<boolean> {
  const left = await runOne(ctx.db, releaseWhenDone, [
    endpointId,
    owner,
    deliverWebhook.name,
    prepared.version,
    prepared.throttle.circuitOpenUntil,
    ctx.testClock?.offsetMs ?? 0,
    ctx.testClock?.frozenUntil ?? null,
  ]);
  return left !== null;
}

const releaseStatement = sql(
  'release_endpoint',
  `UPDATE webhook_endpoints SET leased_by = NULL, leased_until = NULL WHERE id = $1 AND leased_by = $2`,
);

/** Gives the endpoint back although there may be more to do: its work is due again at once. */
export async function yieldEndpoint(ctx: Context, { endpointId, owner }: EndpointLease): Promise<void> {
  // In this order: handed over while the endpoint is still held, it would wait for the end of the hold.
  await run(ctx.db, releaseStatement, [endpointId, owner]);
  await schedule(ctx.db, [
    { job: deliverWebhook, key: endpointId, runAt: ctx.now(), testClock: ctx.testClock },
  ]);
}
