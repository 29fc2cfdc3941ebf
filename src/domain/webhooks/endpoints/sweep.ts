import { addSeconds } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import { run, sql } from '../../../platform/postgres/db.ts';

/** As long as deliveries are kept: payments may each name a URL of their own, and what nobody names any more needs no row. */
const KEPT_SECONDS = 30 * 86_400;
const BATCH = 5_000;

// A merchant's own endpoint stays; so does one that is switched off. Should a delivery to one of these be on its way at this moment, whoever
// finds the endpoint missing puts it back.
const sweepIdle = sql<{ id: string }>(
  'sweep_idle_endpoints',
  `DELETE FROM webhook_endpoints WHERE id = ANY (ARRAY(
     SELECT id FROM webhook_endpoints e
     WHERE id <> merchant_id AND leased_by IS NULL AND disabled_at IS NULL AND greatest(last_success_at, last_failure_at) < $1
       AND NOT EXISTS (SELECT FROM deliveries d WHERE d.endpoint_id = e.id AND d.status = 'pending')
     LIMIT $2))
   RETURNING id`,
);

/** Removes endpoints that payments named and that nothing was sent to for a month; answers how many. */
export async function sweepEndpoints(ctx: Context): Promise<number> {
  const before = addSeconds(ctx.systemNow(), -KEPT_SECONDS);
  for (let swept = 0; ;) {
    const gone = await run(ctx.db, sweepIdle, [before, BATCH]);
    swept += gone.length;
    if (gone.length < BATCH) return swept;
  }
}
