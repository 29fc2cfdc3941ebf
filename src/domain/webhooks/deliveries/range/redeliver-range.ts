import { schedule } from '../../../schedule/store.ts';
import { once } from '../../../idempotency/claim.ts';
import { recordChange } from '../../../audit/record.ts';
import { lockMerchant } from '../../../merchants/store.ts';
import type { Context } from '../../../../platform/context.ts';
import { run, sql, type Tx } from '../../../../platform/postgres/db.ts';
import { reply, type Caller, type IdempotencyClaim, type Reply } from '../../../api/endpoint.ts';
import { ApiError } from '../../../api/errors.ts';
import { deliverWebhook } from '../../endpoints/jobs.ts';
import { ENDPOINTS_FIRST, INSERT_ENDPOINTS } from '../create.ts';
import { RECORD_REQUESTS } from '../redelivery-requests.ts';
import type { RedeliverReport, RedeliverBody } from '../schemas.ts';
import {
  assertReplayable,
  inTurn,
  IS_WANTED,
  MAX_AT_ONCE,
  rangeOf,
  tooMany,
  WANTED,
  type Range,
  type RangeParams,
} from './wanted.ts';

/**
 * Replayed deliveries are spread over the merchant's endpoints together: 50 of them are due in a second,
 * after those of earlier requests, and new events come in between.
 */
const SECONDS_APART = 0.02;

/** How many deliveries of an endpoint begin again; `last_at` null: none does, because it is switched off. */
interface RestartedRow {
  readonly endpoint_id: string;
  readonly count: number;
  readonly last_at: Date | null;
}

type RestartParams = RangeParams & { readonly now: Date };

/**
 * SQL: when the last delivery of a merchant is due that was restarted, or created, and not tried since; null:
 * there is none. By the index deliveries_due of each endpoint.
 */
const LAST_UNTRIED = (merchantId: string) => `(
     SELECT max(untried.next_attempt_at) FROM webhook_endpoints o CROSS JOIN LATERAL (
       SELECT d.next_attempt_at FROM deliveries d
       WHERE d.endpoint_id = o.id AND d.status = 'pending' AND d.attempts = d.restarted_after
       ORDER BY d.next_attempt_at DESC LIMIT 1) untried
     WHERE o.id >= ${merchantId} AND o.id < ${merchantId} || '!')`;

// Finds events by the time in their ids. An event that was recorded while webhooks were off, or whose
// delivery was deleted for its age, gets a delivery now. A pending delivery stays as it is. What the insert
// waits for may be a delivery that is sent, or a payment that is isolated: the row as it is then decides. The
// locks of the events keep them from the sweep (events/sweep.ts).
const restartOf = (which: Range['which']) =>
  sql<RestartedRow, RestartParams>(
    `restart_${which}_deliveries`,
    (p) => `
   WITH wanted AS (${WANTED(which, p)}
     LIMIT ${MAX_AT_ONCE + 1}
     FOR KEY SHARE OF e
   ),
   endpoint AS (${INSERT_ENDPOINTS('wanted', p.now)}
   ),
   delivery AS (
     INSERT INTO deliveries AS d (id, event_id, merchant_id, payment_id, endpoint_id, sequence, type, status,
       next_attempt_at, created_at)
     SELECT delivery_id, id, merchant_id, payment_id, endpoint_id, sequence, type, 'pending',
       greatest(${p.now}::timestamptz, ${LAST_UNTRIED(p.merchantId)} + interval '${SECONDS_APART} seconds')
         + ${SECONDS_APART}::float8 * (row_number() OVER (ORDER BY id) - 1) * interval '1 second',
       ${p.now}
     FROM wanted w
     WHERE ${ENDPOINTS_FIRST} AND NOT EXISTS (
       SELECT FROM webhook_endpoints o WHERE o.id = w.endpoint_id AND o.disabled_at IS NOT NULL)
     ORDER BY delivery_id
     ON CONFLICT (id) DO UPDATE SET status = 'pending', failed_because = NULL,
       next_attempt_at = excluded.next_attempt_at, finished_at = NULL, restarted_after = d.attempts
       WHERE ${IS_WANTED[which]} AND NOT starts_with(d.endpoint_id, 'pay_')
     RETURNING endpoint_id, next_attempt_at, merchant_id, event_id, sequence
   ),
   request AS (${RECORD_REQUESTS('delivery', p.now)}
   )
   SELECT endpoint_id, count(*)::int AS count, max(next_attempt_at) AS last_at
   FROM delivery GROUP BY endpoint_id
   UNION ALL
   SELECT endpoint_id, count(*)::int, NULL
   FROM wanted JOIN webhook_endpoints o ON o.id = endpoint_id AND o.disabled_at IS NOT NULL
   GROUP BY endpoint_id`,
  );
const RESTARTS = { failed: restartOf('failed'), all: restartOf('all') } as const;

/**
 * Restarts the failed deliveries, or all, of a time range; they are sent in the background. Returns how many.
 * Throws ApiError webhooks_off while webhooks are disabled, endpoint_not_found for an endpoint that was not
 * registered, endpoint_off where every event of the range is of an endpoint that is switched off, and
 * ValidationError for a range that ends before it begins or holds more than MAX_AT_ONCE deliveries; and
 * rate_limited as `inTurn` does.
 */
export async function redeliverRange(
  ctx: Context,
  { merchantId }: Pick<Caller, 'merchantId'>,
  body: RedeliverBody,
  claim: IdempotencyClaim | null,
): Promise<Reply> {
  const range = rangeOf(merchantId, body);
  const work = async (tx: Tx) => {
    // Of two requests at once the second spreads its deliveries behind those of the first.
    await lockMerchant(tx, merchantId);
    const now = ctx.now();
    const report = await restart(tx, range.which, { ...(await assertReplayable(tx, range, now)), now });
    const details = { merchant_id: merchantId, ...body, count: report.count };
    await recordChange(ctx, tx, 'webhooks replayed', details);
    return reply(202, report);
  };
  return inTurn(ctx.db, range, () => once(ctx.db, claim, ctx.now(), work));
}

async function restart(tx: Tx, which: Range['which'], params: RestartParams): Promise<RedeliverReport> {
  const rows = await run(tx, RESTARTS[which], params);
  const restarted = rows.filter((row): row is RestartedRow & { last_at: Date } => row.last_at !== null);
  const count = sumOf(restarted);
  const switchedOff = sumOf(rows) - count;
  if (count + switchedOff > MAX_AT_ONCE) throw tooMany();
  if (count === 0 && switchedOff > 0) throw new ApiError('endpoint_off');
  await schedule(
    tx,
    restarted.map(({ endpoint_id }) => ({
      job: deliverWebhook,
      key: endpoint_id,
      runAt: params.now,
      testClock: null,
      merchantId: params.merchantId,
    })),
  );
  const last = restarted.map(({ last_at }) => last_at.getTime());
  return {
    count,
    done_by: count === 0 ? null : new Date(Math.max(...last)).toISOString(),
    ...(switchedOff === 0 ? {} : { switched_off: switchedOff }),
  };
}

function sumOf(rows: readonly RestartedRow[]): number {
  return rows.reduce((sum, row) => sum + row.count, 0);
}
