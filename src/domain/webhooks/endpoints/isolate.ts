import { run, sql, type Tx } from '../../../platform/postgres/db.ts';
import { OWNER_IN, REGISTRATION_IN } from './destination.ts';
import { deliverWebhook } from './jobs.ts';

/** SQL: the endpoint of an isolated payment that takes the place of the endpoint of a delivery. */
const ISOLATED = (paymentId: string) =>
  `${paymentId} || coalesce(' ' || ${REGISTRATION_IN('endpoint_id')}, '')`;

// A run that acquires one of them meanwhile waits, or has written down what it sends (in_flight).
const lockEndpoints = sql<{ id: string }, { paymentId: string }>(
  'lock_endpoints_of_payment',
  (p) => `
   SELECT id FROM webhook_endpoints
   WHERE id IN (SELECT endpoint_id FROM deliveries WHERE payment_id = ${p.paymentId} AND status = 'pending')
   ORDER BY id FOR NO KEY UPDATE`,
);

interface MoveParams {
  readonly paymentId: string;
  readonly systemNow: Date;
  readonly locked: readonly string[];
}

// Due deliveries of a leased endpoint stay there: a run may be sending them at this moment, and those of one
// payment never overlap. So does what is pending at another endpoint only since the lock. The payment's
// id is the id of its endpoint and of its test clock.
const moveDeliveries = sql<never, MoveParams>(
  'isolate_deliveries',
  (p) => `
   WITH moved AS (
     UPDATE deliveries d SET endpoint_id = ${ISOLATED(`${p.paymentId}::text`)}
     WHERE payment_id = ${p.paymentId} AND status = 'pending' AND ${OWNER_IN('endpoint_id')} <> ${p.paymentId}
       AND NOT EXISTS (
         SELECT FROM webhook_endpoints e
         WHERE e.id = d.endpoint_id AND (e.id <> ALL (${p.locked}) OR e.in_flight ? d.id
           OR e.leased_until > ${p.systemNow} AND d.next_attempt_at <= ${p.systemNow}))
     RETURNING endpoint_id, next_attempt_at
   ),
   endpoint AS (
     INSERT INTO webhook_endpoints (id, merchant_id, registration_id, created_at)
     SELECT wanted.id, payments.merchant_id, ${REGISTRATION_IN('wanted.id')}, ${p.systemNow}::timestamptz
     FROM payments, (SELECT ${p.paymentId}::text AS id UNION SELECT endpoint_id FROM moved) wanted
     WHERE payments.id = ${p.paymentId}
     ON CONFLICT DO NOTHING
   )
   INSERT INTO scheduled_jobs (job, key, run_at, visible_at, test_clock)
   SELECT '${deliverWebhook.name}', endpoint_id, min(next_attempt_at), min(next_attempt_at), ${p.paymentId}
   FROM moved GROUP BY endpoint_id
   ON CONFLICT (job, key) DO UPDATE SET
     run_at = least(scheduled_jobs.run_at, excluded.run_at),
     visible_at = least(scheduled_jobs.visible_at, excluded.visible_at),
     version = scheduled_jobs.version + 1`,
);

/**
 * Gives a payment that gets a test clock of its own endpoints of its own. Leases of others end by
 * `systemNow`.
 */
export async function isolateDeliveries(tx: Tx, paymentId: string, systemNow: Date): Promise<void> {
  const locked = (await run(tx, lockEndpoints, { paymentId })).map(({ id }) => id);
  await run(tx, moveDeliveries, { paymentId, systemNow, locked });
}
