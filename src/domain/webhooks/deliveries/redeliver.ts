import { schedule } from '../../schedule/store.ts';
import { once } from '../../idempotency/claim.ts';
import type { Payment } from '../../payments/lifecycle/payment.ts';
import { withTestClockOf } from '../../payments/lifecycle/test-clock.ts';
import type { Context } from '../../../platform/context.ts';
import { dateRange } from '../../../platform/date-range.ts';
import { run, sql, type Tx } from '../../../platform/postgres/db.ts';
import { reply, type Caller, type IdempotencyClaim, type Reply } from '../../../platform/endpoint.ts';
import { ApiError, ValidationError } from '../../../platform/errors.ts';
import { firstIdAt, isId } from '../../../platform/values/ids.ts';
import { getDelivery } from './log.ts';
import type { RedeliverAnswer, RedeliverBody } from './schemas.ts';
import { DELIVERY_ID, ENDPOINT_ID } from './create.ts';
import { deliverWebhook } from '../endpoints/jobs.ts';

/** What is replayed is spread so that a receiver gets 50 of it in a second, and what happens meanwhile comes between. */
const SECONDS_APART = 0.02;
/** More than a receiver takes in a quarter of an hour is asked for in parts. */
const MAX_AT_ONCE = 50_000;

type Destination = Pick<Payment, 'test_clock' | 'clock_offset_ms' | 'clock_frozen_until'> & {
  readonly endpoint_id: string;
  readonly is_on: boolean;
};

const destinationOf = sql<Destination>(
  'destination_of_delivery',
  `SELECT d.endpoint_id, p.test_clock, p.clock_offset_ms, p.clock_frozen_until,
     m.webhooks_enabled AND coalesce(e.callback_url, m.webhook_url) IS NOT NULL AND o.disabled_at IS NULL AS is_on
   FROM deliveries d JOIN merchants m ON m.id = d.merchant_id JOIN payments p ON p.id = d.payment_id
     JOIN events e ON e.id = d.event_id JOIN webhook_endpoints o ON o.id = d.endpoint_id
   WHERE d.id = $1 AND d.merchant_id = $2`,
);
const restartDelivery = sql(
  'restart_delivery',
  `UPDATE deliveries SET status = 'pending', failed_because = NULL, next_attempt_at = $2, finished_at = NULL, restarted_after = attempts
   WHERE id = $1`,
);

/**
 * Delivers one delivery again, whatever came of it before: it is due at once, and has a whole schedule of retries before it. Throws
 * ApiError delivery_not_found, and webhooks_off where nothing is sent.
 */
export async function redeliver(
  ctx: Context,
  { merchantId }: Caller,
  id: string,
  claim: IdempotencyClaim | null,
): Promise<Reply> {
  return once(ctx.db, claim, ctx.now(), async (tx) => {
    const [found] = isId('dlv', id) ? await run(tx, destinationOf, [id, merchantId]) : [];
    if (found === undefined) throw new ApiError('delivery_not_found');
    if (!found.is_on) throw new ApiError('webhooks_off');
    // A payment in a world of its own is delivered by that world's clock, once its deliveries have moved there.
    const { now, testClock } = found.endpoint_id === found.test_clock ? withTestClockOf(ctx, found) : ctx;
    await run(tx, restartDelivery, [id, now()]);
    await schedule(tx, [{ job: deliverWebhook, key: found.endpoint_id, runAt: now(), testClock }]);
    return reply(202, await getDelivery(tx, merchantId, id));
  });
}

// Found by the time in the events' ids. Events that were recorded while webhooks were off, or whose delivery was dropped for its age, get
// a delivery now. What is pending already stays as it is.
const restartRange = sql<{ endpoint_id: string; count: number; last_at: Date }>(
  'restart_deliveries',
  `WITH wanted AS (
     SELECT e.id, e.merchant_id, e.payment_id, e.sequence, e.type, ${DELIVERY_ID('NULL')} AS delivery_id,
       ${ENDPOINT_ID('NULL')} AS endpoint_id
     FROM events e JOIN merchants m ON m.id = e.merchant_id JOIN payments p ON p.id = e.payment_id
       LEFT JOIN deliveries d ON d.id = ${DELIVERY_ID('NULL')}
     WHERE e.merchant_id = $1 AND e.id >= $2 AND ($3::text IS NULL OR e.id < $3) AND p.test_clock IS NULL
       AND (d.id IS NULL OR d.status = 'failed' OR d.status = 'delivered' AND $4 = 'all')
       AND m.webhooks_enabled AND coalesce(e.callback_url, m.webhook_url) IS NOT NULL
     LIMIT $5
   ), endpoint AS (
     INSERT INTO webhook_endpoints (id, merchant_id) SELECT DISTINCT endpoint_id, merchant_id FROM wanted ORDER BY 1
     ON CONFLICT DO NOTHING
   ), delivery AS (
     INSERT INTO deliveries AS d (id, event_id, merchant_id, payment_id, endpoint_id, sequence, type, status, next_attempt_at, created_at)
     SELECT delivery_id, id, merchant_id, payment_id, endpoint_id, sequence, type, 'pending',
       $6::timestamptz + $7::float8 * (row_number() OVER (PARTITION BY endpoint_id ORDER BY id) - 1) * interval '1 second', $6
     FROM wanted w
     WHERE NOT EXISTS (SELECT FROM webhook_endpoints o WHERE o.id = w.endpoint_id AND o.disabled_at IS NOT NULL)
     ORDER BY delivery_id
     ON CONFLICT (id) DO UPDATE SET status = 'pending', failed_because = NULL, next_attempt_at = excluded.next_attempt_at,
       finished_at = NULL, restarted_after = d.attempts WHERE d.status <> 'pending'
     RETURNING endpoint_id, next_attempt_at
   )
   SELECT endpoint_id, count(*)::int AS count, max(next_attempt_at) AS last_at FROM delivery GROUP BY endpoint_id`,
);
const isOn = sql<{ is_on: boolean }>(
  'webhooks_are_on',
  `SELECT webhooks_enabled AND NOT EXISTS (
     SELECT FROM webhook_endpoints o WHERE o.id = m.id AND disabled_at IS NOT NULL) AS is_on
   FROM merchants m WHERE id = $1`,
);

/**
 * Delivers what failed, or everything, of a range of time again, in the background. Answers how many events that are. Throws ApiError
 * webhooks_off where nothing is sent, and ValidationError for a range that ends before it begins or holds too much at once.
 */
export async function redeliverRange(
  ctx: Context,
  { merchantId }: Caller,
  body: RedeliverBody,
  claim: IdempotencyClaim | null,
): Promise<Reply> {
  const [from, until] = dateRange(body);
  if (from === null) throw new ValidationError('from_date', 'required', 'is required');
  return once(ctx.db, claim, ctx.now(), async (tx) => {
    const [merchant] = await run(tx, isOn, [merchantId]);
    if (merchant?.is_on !== true) throw new ApiError('webhooks_off');
    return reply(202, await restart(ctx, tx, merchantId, { from, until, which: body.which ?? 'failed' }));
  });
}

async function restart(
  ctx: Context,
  tx: Tx,
  merchantId: string,
  { from, until, which }: { from: Date; until: Date | null; which: 'failed' | 'all' },
): Promise<RedeliverAnswer> {
  const now = ctx.now();
  const restarted = await run(tx, restartRange, [
    merchantId,
    firstIdAt('evt', from),
    until && firstIdAt('evt', until),
    which,
    MAX_AT_ONCE + 1,
    now,
    SECONDS_APART,
  ]);
  const count = restarted.reduce((sum, row) => sum + row.count, 0);
  if (count > MAX_AT_ONCE)
    throw new ValidationError(
      'from_date',
      'minimum',
      `begins a range of more than ${MAX_AT_ONCE} events; ask for it in parts`,
    );
  await schedule(
    tx,
    restarted.map(({ endpoint_id }) => ({
      job: deliverWebhook,
      key: endpoint_id,
      runAt: now,
      testClock: null,
    })),
  );
  const last = restarted.map(({ last_at }) => last_at.getTime());
  return { count, done_by: count === 0 ? null : new Date(Math.max(...last)).toISOString() };
}
