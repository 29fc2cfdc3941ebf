import { run, sql, type Tx } from '../../../platform/postgres/db.ts';
import { deliverWebhook } from '../endpoints/jobs.ts';

// What a worker may be posting at this moment stays with that worker.
const moveDeliveries = sql(
  'move_deliveries_to_world',
  `WITH endpoint AS (
     INSERT INTO webhook_endpoints (id, merchant_id) SELECT id, merchant_id FROM payments WHERE id = $1 ON CONFLICT DO NOTHING
   ), moved AS (
     UPDATE deliveries SET endpoint_id = $1
     WHERE payment_id = $1 AND status = 'pending' AND endpoint_id <> $1
       AND (next_attempt_at > $2 OR NOT EXISTS (SELECT FROM webhook_endpoints e WHERE e.id = endpoint_id AND e.leased_until > $2))
     RETURNING next_attempt_at
   )
   INSERT INTO scheduled_jobs (job, key, run_at, visible_at, test_clock)
   SELECT $3, $1, min(next_attempt_at), min(next_attempt_at), $1 FROM moved HAVING count(*) > 0
   ON CONFLICT (job, key) DO UPDATE SET run_at = least(scheduled_jobs.run_at, excluded.run_at),
     visible_at = least(scheduled_jobs.visible_at, excluded.visible_at), version = scheduled_jobs.version + 1`,
);

/** Gives a payment that has a clock of its own its own receiver as well; `wall` is the real time, in which others send. */
export async function isolateDeliveries(tx: Tx, paymentId: string, systemNow: Date): Promise<void> {
  await run(tx, moveDeliveries, [paymentId, systemNow, deliverWebhook.name]);
}
