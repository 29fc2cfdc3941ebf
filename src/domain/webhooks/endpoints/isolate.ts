import { run, sql, type Tx } from '../../../platform/postgres/db.ts';
import { deliverWebhook } from './jobs.ts';

// Due deliveries of a leased endpoint stay there: a worker may be posting them at this moment. The payment's
// id is the id of its endpoint and of its test clock.
const moveDeliveries = sql<never, { paymentId: string; systemNow: Date }>(
  'isolate_deliveries',
  (p) => `
   WITH endpoint AS (
     INSERT INTO webhook_endpoints (id, merchant_id, created_at)
     SELECT id, merchant_id, ${p.systemNow}::timestamptz FROM payments WHERE id = ${p.paymentId}
     ON CONFLICT DO NOTHING
   ),
   moved AS (
     UPDATE deliveries SET endpoint_id = ${p.paymentId}
     WHERE payment_id = ${p.paymentId} AND status = 'pending' AND endpoint_id <> ${p.paymentId}
       AND (next_attempt_at > ${p.systemNow} OR NOT EXISTS (
         SELECT FROM webhook_endpoints e WHERE e.id = endpoint_id AND e.leased_until > ${p.systemNow}))
     RETURNING next_attempt_at
   )
   INSERT INTO scheduled_jobs (job, key, run_at, visible_at, test_clock)
   SELECT '${deliverWebhook.name}', ${p.paymentId}, min(next_attempt_at), min(next_attempt_at), ${p.paymentId}
   FROM moved HAVING count(*) > 0
   ON CONFLICT (job, key) DO UPDATE SET
     run_at = least(scheduled_jobs.run_at, excluded.run_at),
     visible_at = least(scheduled_jobs.visible_at, excluded.visible_at),
     version = scheduled_jobs.version + 1`,
);

/**
 * Gives a payment that gets a test clock of its own an endpoint of its own. Leases of others end by
 * `systemNow`.
 */
export async function isolateDeliveries(tx: Tx, paymentId: string, systemNow: Date): Promise<void> {
  await run(tx, moveDeliveries, { paymentId, systemNow });
}
