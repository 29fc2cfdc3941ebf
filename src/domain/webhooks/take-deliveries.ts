import { run, sql, type Tx } from '../../platform/db.ts';
import { deliverWebhook } from './jobs.ts';

// What a worker may be posting at this moment stays with that worker.
const moveDeliveries = sql(
  'move_deliveries_to_world',
  `WITH endpoint AS (
     INSERT INTO webhook_endpoints (id, merchant_id) SELECT id, merchant_id FROM payments WHERE id = $1 ON CONFLICT DO NOTHING
   ), moved AS (
     UPDATE deliveries SET endpoint_id = $1
     WHERE payment_id = $1 AND status = 'pending' AND endpoint_id <> $1
       AND (next_attempt_at > $2 OR NOT EXISTS (SELECT FROM webhook_endpoints e WHERE e.id = endpoint_id AND e.held_until > $2))
     RETURNING next_attempt_at
   )
   INSERT INTO due_work (job, key, run_at, visible_at, world)
   SELECT $3, $1, min(next_attempt_at), min(next_attempt_at), $1 FROM moved HAVING count(*) > 0
   ON CONFLICT (job, key) DO UPDATE SET run_at = least(due_work.run_at, excluded.run_at),
     visible_at = least(due_work.visible_at, excluded.visible_at), version = due_work.version + 1`,
);

/** Gives a payment that has a clock of its own its own receiver as well; `wall` is the real time, in which others send. */
export async function takeDeliveries(tx: Tx, paymentId: string, wall: Date): Promise<void> {
  await run(tx, moveDeliveries, [paymentId, wall, deliverWebhook.name]);
}
