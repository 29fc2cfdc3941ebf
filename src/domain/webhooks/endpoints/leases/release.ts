import { finish, schedule } from '../../../schedule/store.ts';
import type { Context } from '../../../../platform/context.ts';
import { run, runOne, sql } from '../../../../platform/postgres/db.ts';
import type { AcquiredEndpoint, EndpointLease } from './lease.ts';
import { REGISTRATION_IN } from '../destination.ts';
import { deliverWebhook } from '../jobs.ts';

interface ReleaseParams {
  readonly endpointId: string;
  readonly owner: string;
  readonly version: number | null;
  readonly circuitOpenUntil: Date | null;
  readonly clockOffsetMs: number;
  readonly clockFrozenUntil: Date | null;
}

// The version closes the race with transactions that add deliveries meanwhile: each schedules the job, which
// increments the version, so an unchanged version means that the read before saw every delivery. This
// statement increments it too, for a run that found the endpoint leased and is about to defer the job to the
// lease's end.
const releaseUnlessRescheduled = sql<{ id: string }, ReleaseParams>(
  'release_endpoint_unless_rescheduled',
  (p) => `
   WITH next AS (
     SELECT CASE WHEN min(next_attempt_at) IS NOT NULL
       THEN greatest(min(next_attempt_at), ${p.circuitOpenUntil}::timestamptz) END AS at
     FROM deliveries WHERE endpoint_id = ${p.endpointId} AND status = 'pending'
   ),
   rescheduled AS (
     UPDATE scheduled_jobs SET run_at = next.at, failures = 0, last_error = NULL, version = version + 1,
       visible_at = greatest(
         next.at - make_interval(secs => ${p.clockOffsetMs}::float8 / 1000),
         ${p.clockFrozenUntil}::timestamptz)
     FROM next
     WHERE job = '${deliverWebhook.name}' AND key = ${p.endpointId} AND version = ${p.version}
       AND next.at IS NOT NULL
     RETURNING key
   ),
   finished AS (
     DELETE FROM scheduled_jobs USING next
     WHERE job = '${deliverWebhook.name}' AND key = ${p.endpointId} AND version = ${p.version}
       AND next.at IS NULL
     RETURNING key
   )
   UPDATE webhook_endpoints SET leased_by = NULL, leased_until = NULL
   WHERE id = ${p.endpointId} AND leased_by = ${p.owner}
     AND (EXISTS (SELECT FROM rescheduled) OR EXISTS (SELECT FROM finished)
       OR ${p.version}::integer IS NULL AND NOT EXISTS (
         SELECT FROM scheduled_jobs WHERE job = '${deliverWebhook.name}' AND key = ${p.endpointId}))
   RETURNING id`,
);

/**
 * Releases the endpoint, with its job due when its next delivery is due and its circuit is closed. Returns
 * false, and changes nothing, when the job was scheduled since `acquired` was read: the run must look again.
 */
export async function releaseEndpoint(
  ctx: Context,
  { endpointId, owner }: EndpointLease,
  { version, flowControl }: AcquiredEndpoint,
): Promise<boolean> {
  const released = await runOne(ctx.db, releaseUnlessRescheduled, {
    endpointId,
    owner,
    version,
    circuitOpenUntil: flowControl.circuitOpenUntil,
    clockOffsetMs: ctx.testClock?.offsetMs ?? 0,
    clockFrozenUntil: ctx.testClock?.frozenUntil ?? null,
  });
  return released !== null;
}

const release = sql<never, { endpointId: string; owner: string }>(
  'release_endpoint',
  (p) => `
   UPDATE webhook_endpoints SET leased_by = NULL, leased_until = NULL
   WHERE id = ${p.endpointId} AND leased_by = ${p.owner}`,
);

/** Releases the endpoint although more may be due: its job is due again at once. */
export async function yieldEndpoint(ctx: Context, { endpointId, owner }: EndpointLease): Promise<void> {
  // In this order: a job that starts while the endpoint is still leased would be deferred to the lease's end.
  await run(ctx.db, release, { endpointId, owner });
  await schedule(ctx.db, [
    { job: deliverWebhook, key: endpointId, runAt: ctx.now(), testClock: ctx.testClock },
  ]);
}

// Compares the version, because the owner may release the endpoint, and more may be scheduled, between this
// statement's read and its write.
const deferJob = sql<{ id: string }, { endpointId: string }>(
  'defer_job_to_lease_end',
  (p) => `
   WITH leased AS MATERIALIZED (
     SELECT w.version, e.leased_until
     FROM webhook_endpoints e
       JOIN scheduled_jobs w ON w.job = '${deliverWebhook.name}' AND w.key = e.id
     WHERE e.id = ${p.endpointId} AND e.leased_until IS NOT NULL
   ),
   deferred AS (
     UPDATE scheduled_jobs SET visible_at = leased.leased_until
     FROM leased
     WHERE job = '${deliverWebhook.name}' AND key = ${p.endpointId}
       AND scheduled_jobs.version = leased.version
   )
   SELECT id FROM webhook_endpoints WHERE id = ${p.endpointId}`,
);

// Deliveries may lack their endpoint: the sweep deleted it as idle while they were created. Restored without
// its hash, because another endpoint may have been created for the URL meanwhile.
const restoreEndpoint = sql<{ id: string }, { endpointId: string; systemNow: Date }>(
  'restore_endpoint',
  (p) => `
   INSERT INTO webhook_endpoints (id, merchant_id, registration_id, url, created_at)
   SELECT d.endpoint_id, d.merchant_id, ${REGISTRATION_IN('d.endpoint_id')},
     CASE WHEN starts_with(d.endpoint_id, d.merchant_id || ' ')
         AND ${REGISTRATION_IN('d.endpoint_id')} IS NULL
       THEN substring(e.callback_url FROM '^[^?#]+') END,
     ${p.systemNow}
   FROM deliveries d LEFT JOIN events e ON e.id = d.event_id
   WHERE d.endpoint_id = ${p.endpointId} AND d.status = 'pending' LIMIT 1
   ON CONFLICT DO NOTHING RETURNING id`,
);

/**
 * Defers to the run that owns the endpoint's lease, which looks again before it releases the endpoint. If
 * that run dies, the job is visible when its lease ends. Finishes the job of an endpoint that does not exist;
 * restores the endpoint when deliveries are pending for it.
 */
export async function deferToOwner(ctx: Context, endpointId: string): Promise<void> {
  if ((await runOne(ctx.db, deferJob, { endpointId })) !== null) return;
  const now = ctx.now();
  const restored = await runOne(ctx.db, restoreEndpoint, { endpointId, systemNow: ctx.systemNow() });
  if (restored === null) await finish(ctx.db, deliverWebhook, [endpointId], now);
  else
    await schedule(ctx.db, [{ job: deliverWebhook, key: endpointId, runAt: now, testClock: ctx.testClock }]);
}
