import type { ChainOf } from '../../chain/port.ts';
import type { TestChain } from '../../chain/test-chain.ts';
import { addSeconds } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import { IS_MOVING } from '../../moves/steps.ts';
import { run, sql } from '../../../platform/postgres/db.ts';
import { discardPayments } from './discard.ts';

/** As long as the reply of a scenario can be repeated by its Idempotency-Key. */
export const KEPT_SECONDS = 86_400;
/**
 * Longer than any job of a test clock runs: a delivery's requests and the time to record them. A job that
 * still ran would write rows of a payment that does not exist any more.
 */
export const DISCARD_AFTER_SECONDS = 60;
/** Past the discard, also when no worker runs for some time: nothing runs jobs of a frozen clock. */
const FREEZE_SECONDS = 86_400;
/** One transaction deletes the rows of so many scenarios, at most STORY_ROWS each. */
const CHUNK = 20;

interface Sweep {
  readonly endedBefore: Date;
  readonly systemNow: Date;
  readonly frozenUntil: Date;
  readonly discardAt: Date;
  readonly limit: number;
}

// A scenario that runs renews the freeze of its clock; one whose process has died does not. Payments are
// locked first. SKIP LOCKED: another sweep, or a request that advances the clock, has it.
const freezeOver = sql<{ payment_id: string }, Sweep>(
  'freeze_scenarios_to_discard',
  (p) => `
    WITH over AS (
      SELECT p.id FROM scenario_runs r JOIN payments p ON p.id = r.payment_id
      WHERE r.discard_at IS NULL AND (r.ended_at IS NULL OR r.ended_at < ${p.endedBefore})
        AND (p.clock_frozen_until IS NULL OR p.clock_frozen_until <= ${p.systemNow})
        AND NOT ${IS_MOVING('p.merchant_id')}
      LIMIT ${p.limit}
      FOR NO KEY UPDATE OF p SKIP LOCKED
    ), frozen AS (
      UPDATE payments SET clock_frozen_until = ${p.frozenUntil} FROM over WHERE payments.id = over.id
    ), hidden AS (
      UPDATE scheduled_jobs SET visible_at = ${p.frozenUntil} FROM over WHERE test_clock = over.id
    )
    UPDATE scenario_runs SET discard_at = ${p.discardAt} FROM over WHERE payment_id = over.id
    RETURNING payment_id`,
);

const toDiscard = sql<{ payment_id: string }, { systemNow: Date; limit: number }>(
  'scenarios_to_discard',
  (p) => `
    SELECT r.payment_id FROM scenario_runs r JOIN payments p ON p.id = r.payment_id
    WHERE r.discard_at <= ${p.systemNow} AND NOT ${IS_MOVING('p.merchant_id')}
    ORDER BY discard_at LIMIT ${p.limit}`,
);

/**
 * Deletes the rows of scenarios whose process has died, and of those that ended a day ago, in two sweeps: the
 * first freezes their clocks, so that no worker begins a job of them, and one after that deletes. Returns how
 * many were deleted.
 */
export async function sweepScenariosOnce(
  ctx: Context,
  { testChain }: { testChain: ChainOf<TestChain> },
): Promise<number> {
  const systemNow = ctx.systemNow();
  let swept = 0;
  for (;;) {
    const ids = (await run(ctx.db, toDiscard, { systemNow, limit: CHUNK })).map((row) => row.payment_id);
    await discardPayments(ctx.db, testChain(ctx), ids);
    swept += ids.length;
    if (ids.length < CHUNK) break;
  }
  const frozen = {
    endedBefore: addSeconds(systemNow, -KEPT_SECONDS),
    systemNow,
    frozenUntil: addSeconds(systemNow, FREEZE_SECONDS),
    discardAt: addSeconds(systemNow, DISCARD_AFTER_SECONDS),
    limit: CHUNK,
  };
  while ((await run(ctx.db, freezeOver, frozen)).length === CHUNK);
  return swept;
}
