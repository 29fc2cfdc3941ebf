import { addSeconds } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { IS_MOVING } from '../moves/steps.ts';
import { deleteInChunks, run, sql } from '../../platform/postgres/db.ts';

/**
 * Claims are kept for at least 24 hours (contract, "Idempotency"); one hour more covers clocks that disagree.
 */
const KEPT_SECONDS = 25 * 3600;

// Index: idempotency_keys_by_age.
const deleteOldKeys = sql<{ key: string }, { before: Date; limit: number }>(
  'delete_old_idempotency_keys',
  (p) => `DELETE FROM idempotency_keys WHERE ctid IN (
     SELECT k.ctid FROM idempotency_keys k
     WHERE created_at < ${p.before} AND NOT ${IS_MOVING('k.merchant_id')} ORDER BY created_at LIMIT ${p.limit}
   )
   RETURNING key`,
);

/** Deletes claims that are past their time; returns how many. */
export async function sweepOnce(ctx: Context): Promise<number> {
  const before = addSeconds(ctx.now(), -KEPT_SECONDS);
  return deleteInChunks(async (limit) => (await run(ctx.db, deleteOldKeys, { before, limit })).length);
}
