import { addSeconds } from '../../../../platform/clock.ts';
import type { Context } from '../../../../platform/context.ts';
import { runOne, sql } from '../../../../platform/postgres/db.ts';
import { firstIdAt } from '../../../../platform/values/ids.ts';
import { EVENTS_KEPT_SECONDS } from '../../../events/sweep.ts';
import { MOVES } from '../../../moves/steps.ts';
import { RETENTION_SECONDS } from '../../../webhooks/endpoints/sweep.ts';
import type { Kept } from '../invariant.ts';

const markBefore = sql<{ txid: string }, { until: Date }>(
  'verify_event_mark',
  (p) => `SELECT txid FROM event_marks WHERE at <= ${p.until} ORDER BY at DESC LIMIT 1`,
);

/** Sweeps go by the clock of another process. */
const MARGIN_SECONDS = 86_400;

/** Says which rows retention cannot have deleted here (events/sweep.ts, deliveries/retention). */
export async function readKept(ctx: Pick<Context, 'db' | 'now'>): Promise<Kept> {
  const wholeSince = addSeconds(ctx.now(), MARGIN_SECONDS - EVENTS_KEPT_SECONDS);
  const deliveredSince = addSeconds(ctx.now(), MARGIN_SECONDS - RETENTION_SECONDS);
  const swept = await runOne(ctx.db, markBefore, { until: wholeSince });
  const dropped = await runOne(ctx.db, markBefore, { until: deliveredSince });
  return {
    wholeFrom: swept === null ? '' : firstIdAt('pay', wholeSince),
    deliveredFrom: dropped?.txid ?? '0',
    deliveredPayments: dropped === null ? '' : firstIdAt('pay', deliveredSince),
  };
}

/**
 * SQL: whether what was recorded at a time may have been deleted in another cell, before its merchant came
 * from there: this database's marks do not tell that. Their log, which comes along, says when they last began
 * to move. It is read from its end, for what is missing alone: not where it is asked of every row.
 */
const elsewhere = (merchant: string, time: string, keptSeconds: number): string => `coalesce(${time} < (
      SELECT a.at FROM operator_actions a WHERE a.merchant_id = ${merchant} AND a.command = '${MOVES}'
      ORDER BY a.number DESC LIMIT 1) - interval '${keptSeconds - MARGIN_SECONDS} seconds', false)`;

/**
 * SQL: whether another cell may have deleted events of a payment `p`. Of one with a test clock no time says
 * how old its events are.
 */
export const SWEPT_ELSEWHERE = elsewhere(
  'p.merchant_id',
  `CASE WHEN p.test_clock IS NULL THEN p.created_at ELSE '-infinity' END`,
  EVENTS_KEPT_SECONDS,
);

/** SQL: whether another cell may have deleted the delivery of an event, which is `lacking`. */
export const DROPPED_ELSEWHERE = elsewhere('lacking.merchant_id', 'lacking.created_at', RETENTION_SECONDS);
