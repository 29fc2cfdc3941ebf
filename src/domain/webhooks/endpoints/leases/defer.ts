import { finish, schedule } from '../../../schedule/store.ts';
import type { Context } from '../../../../platform/context.ts';
import { runOne, sql } from '../../../../platform/postgres/db.ts';
import { REGISTRATION_IN } from '../destination.ts';
import { deliverWebhook } from '../jobs.ts';

// Compares the version, because the owner may release the endpoint, and more may be scheduled, between this
// statement's read and its write.
const deferJob = sql<{ id: string }, { endpointId: string }>(
  'defer_job_to_lease_end',
  (p) => `
   WITH leased AS MATERIALIZED (
     SELECT w.version, e.leased_until, split_part(e.leased_by, ':', 1) AS worker
     FROM webhook_endpoints e
       JOIN scheduled_jobs w ON w.job = '${deliverWebhook.name}' AND w.key = e.id
     WHERE e.id = ${p.endpointId} AND e.leased_until IS NOT NULL
   ),
   deferred AS (
     UPDATE scheduled_jobs SET visible_at = leased.leased_until, leased_by = leased.worker
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
 * Defers to the run that owns the endpoint's lease, which reads what is due before it releases the endpoint.
 * If that run dies, the job is visible when its lease ends. Finishes the job of an endpoint that does not
 * exist; restores the endpoint when deliveries are pending for it.
 */
export async function deferToOwner(ctx: Context, endpointId: string): Promise<void> {
  if ((await runOne(ctx.db, deferJob, { endpointId })) !== null) return;
  const now = ctx.now();
  const restored = await runOne(ctx.db, restoreEndpoint, { endpointId, systemNow: ctx.systemNow() });
  if (restored === null) await finish(ctx.db, deliverWebhook, [endpointId], now);
  else
    await schedule(ctx.db, [{ job: deliverWebhook, key: endpointId, runAt: now, testClock: ctx.testClock }]);
}
