import { addSeconds } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { run, sql } from '../../platform/postgres/db.ts';

/** Claims are kept 24 hours at least (contract, "Idempotency"); the hour more covers clocks that disagree. */
const KEPT_SECONDS = 25 * 3600;
/** One statement's share: it holds its locks for milliseconds. */
const CHUNK = 5_000;

const deleteOldKeys = sql<{ key: string }>(
  'delete_old_idempotency_keys',
  `DELETE FROM idempotency_keys WHERE ctid IN (SELECT ctid FROM idempotency_keys WHERE created_at < $1 ORDER BY created_at LIMIT $2)
   RETURNING key`,
);

/** Deletes claims that are past their time, a chunk at a time; answers how many. */
export async function sweepOnce(ctx: Context): Promise<number> {
  let swept = 0;
  for (;;) {
    const deleted = await run(ctx.db, deleteOldKeys, [addSeconds(ctx.now(), -KEPT_SECONDS), CHUNK]);
    swept += deleted.length;
    if (deleted.length < CHUNK) return swept;
  }
}
