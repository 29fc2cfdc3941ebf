import { IS_REFUSED } from '../../payments/conversions/states.ts';
import { isRefunded, statusesThat } from '../../payments/lifecycle/states.ts';
import { HELD_PAYOUTS } from '../../payments/refunds/by-signer/intent.ts';
import { IS_AWAITED, IS_HELD, IS_UNSIGNED, NEEDS_ADDRESS } from '../../payments/refunds/states.ts';
import { IS_HELD_SALE, IS_UNSOLD } from '../../payments/sales/states.ts';
import { run, sql, type Connection } from '../../../platform/postgres/db.ts';
import { MAX_COUNTED } from './statements.ts';

/** Money that stays where it is until a person does something. */
export interface WaitingMoney {
  readonly what:
    | 'refund_without_address'
    | 'refund_unsigned'
    | 'refund_held'
    | 'conversion_refused'
    | 'payout_held'
    | 'sale_held';
  readonly mode: string;
  readonly count: number;
  readonly seconds: number;
}

// Indexes: refunds_without_address, refunds_awaited, conversions_refused, payouts_open, sales_unsold. What
// was refused and then sent back waits no more.
const waitingMoney = sql<WaitingMoney, { now: Date }>(
  'survey_waiting_money',
  (p) => `
    WITH refund AS (
      SELECT payment_id, created_at, 'refund_without_address' AS what FROM refunds r
      WHERE ${NEEDS_ADDRESS('r')} ORDER BY created_at LIMIT ${MAX_COUNTED}
    ), payout AS (
      SELECT payment_id, created_at, CASE WHEN ${IS_HELD('r')} THEN 'refund_held' ELSE 'refund_unsigned' END
      FROM refunds r WHERE ${IS_AWAITED('r')} AND (${IS_UNSIGNED('r')} OR ${IS_HELD('r')})
      LIMIT ${MAX_COUNTED}
    ), conversion AS (
      SELECT payment_id, number, finished_at FROM conversions c WHERE ${IS_REFUSED('c')}
      ORDER BY finished_at DESC LIMIT ${MAX_COUNTED}
    ), waiting AS (
      SELECT r.what, m.mode, r.created_at AS since
      FROM (SELECT * FROM refund UNION ALL SELECT * FROM payout) r
        JOIN payments p ON p.id = r.payment_id JOIN merchants m ON m.id = p.merchant_id
      UNION ALL
      SELECT 'conversion_refused', m.mode, c.finished_at
      FROM conversion c JOIN payments p ON p.id = c.payment_id JOIN merchants m ON m.id = p.merchant_id
      WHERE p.status NOT IN (${statusesThat(isRefunded)}) AND (
        SELECT bool_and(t.dropped_at IS NOT NULL) FROM transfers t
        WHERE t.payment_id = c.payment_id AND t.conversion = c.number) IS NOT TRUE
      UNION ALL
      SELECT 'payout_held', 'live', since FROM (${HELD_PAYOUTS(p.now)}) held
      UNION ALL
      SELECT 'sale_held', 'live', s.since FROM sales s
      WHERE ${IS_UNSOLD('s')} AND s.reason IS NOT NULL
        AND (${IS_HELD_SALE('s')} OR s.since <= ${p.now}::timestamptz - interval '30 minutes')
    )
    SELECT what, mode, count(*)::int AS count,
      greatest(0, max(extract(epoch FROM ${p.now}::timestamptz - since)))::float8 AS seconds
    FROM waiting GROUP BY what, mode ORDER BY what, mode`,
);

/**
 * Refunds that wait for an address, a signature or a person, refused conversions, and sales that wait for a
 * person, or for long.
 */
export async function readWaitingMoney(db: Connection, now: Date): Promise<WaitingMoney[]> {
  return run(db, waitingMoney, { now });
}
