import {
  applyQuarantined,
  askRefundAddress,
  endHolds,
  expirePayment,
  requotePayment,
  sellPayment,
  sendRefund,
  settlePayment,
  tellRefundAddress,
} from '../payments/lifecycle/jobs.ts';
import { HAS_QUARANTINED } from '../payments/lifecycle/quarantine.ts';
import { REQUOTES } from '../payments/pricing/schedule-requote.ts';
import { ADDRESS_KEY } from '../payments/refunds/refund-address.ts';
import { IS_SHORT } from '../payments/transfers/decide.ts';
import { HOLDS } from '../payments/transfers/hold.ts';
import { sendAddressRequest, sendReceipt } from '../receipts/jobs.ts';
import { OWNER_IN } from '../webhooks/endpoints/destination.ts';
import { deliverWebhook } from '../webhooks/endpoints/jobs.ts';
import { addSeconds } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { run, sql } from '../../platform/postgres/db.ts';
import { firstIdAt } from '../../platform/values/ids.ts';
import { IS_BEGUN } from '../payments/conversions/states.ts';
import { isProcessing, statusesThat } from '../payments/lifecycle/states.ts';
import { IS_PENDING } from '../payments/refunds/states.ts';
import { IS_OPEN_SALE } from '../payments/sales/states.ts';

/**
 * Covers the longest deadline of a payment and its late window (24 h each), and the retries of a delivery,
 * unless its receiver asks for more time again and again.
 */
const LOOK_BACK_SECONDS = 5 * 86_400;

interface Needed {
  readonly now: Date;
  readonly firstPayment: string;
  readonly firstRefund: string;
  readonly expire: string;
  readonly settle: string;
  readonly refund: string;
  readonly deliver: string;
  readonly receipt: string;
}

// Each of these rows was written in one transaction with its job, so on a sound database this finds nothing.
// It is for the day after a restored backup, a row deleted by hand or a bug. Indexes: a range of the primary
// keys of payments and refunds, which are in the order of time (an index on the status would cost every
// transition more than this costs in a day), conversions_pending, sales_unsold, deliveries_due,
// receipts_unfinished, address_requests_unfinished, refund_requests_unfinished and refund_addresses_untold.
// While transfers of a payment are quarantined, its expiry and settlement have no job: the job that applies
// the transfers schedules them.
// run_at is in the time of the job's clock (null: due now), visible_at in real time.
const restoreJobs = sql<{ job: string; key: string }, Needed>(
  'restore_missing_jobs',
  (p) => `INSERT INTO scheduled_jobs (job, key, run_at, visible_at, test_clock)
   SELECT job, key, coalesce(run_at, ${p.now}::timestamptz + ahead),
     greatest(run_at - ahead, clock.clock_frozen_until, ${p.now}::timestamptz), needed.test_clock
   FROM (
     SELECT ${p.expire}::text AS job, id AS key, deadline_at AS run_at, test_clock
       FROM payments p
       WHERE id >= ${p.firstPayment} AND ${IS_SHORT}
         AND NOT ${HAS_QUARANTINED('p.id')}
     UNION ALL
     SELECT '${requotePayment.name}', id, ends_at, test_clock
       FROM (${REQUOTES(`p.id >= ${p.firstPayment} AND ${IS_SHORT}`)}) requotes
     UNION ALL
     SELECT '${endHolds.name}', id, ends_at, test_clock FROM (${HOLDS(`p.id >= ${p.firstPayment}`)}) holds
     UNION ALL
     SELECT ${p.settle}, id, NULL, test_clock
       FROM payments p
       WHERE id >= ${p.firstPayment} AND status IN (${statusesThat(isProcessing)})
         AND NOT ${HAS_QUARANTINED('p.id')}
     UNION ALL
     SELECT ${p.settle}, payment_id, NULL, (SELECT test_clock FROM payments p WHERE p.id = payment_id)
       FROM conversions c WHERE ${IS_BEGUN('c')} AND NOT ${HAS_QUARANTINED('c.payment_id')}
     UNION ALL
     SELECT DISTINCT '${sellPayment.name}', payment_id, NULL::timestamptz, NULL::text
       FROM sales s WHERE ${IS_OPEN_SALE('s')}
     UNION ALL
     SELECT DISTINCT '${applyQuarantined.name}', payment_id, NULL::timestamptz,
         (SELECT test_clock FROM payments p WHERE p.id = payment_id)
       FROM unapplied_transfers
     UNION ALL
     SELECT ${p.refund}, id, created_at, (SELECT test_clock FROM payments p WHERE p.id = payment_id)
       FROM refunds r WHERE id >= ${p.firstRefund} AND ${IS_PENDING('r')}
     UNION ALL
     SELECT ${p.receipt}, event_id, NULL, (SELECT test_clock FROM payments p WHERE p.id = r.payment_id)
       FROM receipts r WHERE sent_at IS NULL AND given_up_at IS NULL
         AND EXISTS (SELECT FROM events e WHERE e.id = event_id)
     UNION ALL
     SELECT '${sendAddressRequest.name}', event_id, NULL,
         (SELECT test_clock FROM payments p WHERE p.id = r.payment_id)
       FROM address_requests r WHERE sent_at IS NULL AND given_up_at IS NULL
         AND EXISTS (SELECT FROM events e WHERE e.id = event_id)
     UNION ALL
     SELECT '${askRefundAddress.name}', q.refund_id, NULL,
         (SELECT test_clock FROM payments p WHERE p.id = r.payment_id)
       FROM refund_requests q JOIN refunds r ON r.id = q.refund_id
       WHERE q.sent_at IS NULL AND q.given_up_at IS NULL
     UNION ALL
     SELECT '${tellRefundAddress.name}', ${ADDRESS_KEY}, NULL,
         (SELECT test_clock FROM payments p WHERE p.id = a.payment_id)
       FROM refund_addresses a WHERE given_at IS NOT NULL AND sent_at IS NULL AND given_up_at IS NULL
     UNION ALL
     SELECT ${p.deliver}, endpoint_id, min(next_attempt_at),
         (SELECT test_clock FROM payments p WHERE p.id = ${OWNER_IN('endpoint_id')})
       FROM deliveries WHERE status = 'pending' GROUP BY endpoint_id
   ) needed
     LEFT JOIN payments clock ON clock.id = needed.test_clock
     CROSS JOIN LATERAL make_interval(secs => coalesce(clock.clock_offset_ms, 0)::float8 / 1000) AS ahead
   WHERE NOT EXISTS (SELECT FROM scheduled_jobs d WHERE d.job = needed.job AND d.key = needed.key)
   LIMIT 1000
   ON CONFLICT DO NOTHING
   RETURNING job, key`,
);

/**
 * Finds open payments, quarantined transfers, refunds, deliveries and mails to customers whose job is missing
 * and schedules it; returns how many there were.
 */
export async function reconcileOnce(ctx: Context): Promise<number> {
  const now = ctx.now();
  const since = addSeconds(now, -LOOK_BACK_SECONDS);
  const restored = await run(ctx.db, restoreJobs, {
    now,
    firstPayment: firstIdAt('pay', since),
    firstRefund: firstIdAt('ref', since),
    expire: expirePayment.name,
    settle: settlePayment.name,
    refund: sendRefund.name,
    deliver: deliverWebhook.name,
    receipt: sendReceipt.name,
  });
  for (const { job, key } of restored)
    ctx.log.error('reconciler: a scheduled job was missing; scheduled again', { job, key });
  return restored.length;
}
