import { addSeconds } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import { run, sql } from '../../../platform/postgres/db.ts';

/** Nothing reads a secret that has ended; the hour covers clocks that disagree. */
const KEPT_SECONDS = 3600;

const deleteEndedSecrets = sql<{ merchant_id: string }, { endedBefore: Date }>(
  'delete_ended_webhook_secrets',
  (p) => `DELETE FROM webhook_secrets WHERE expires_at < ${p.endedBefore} RETURNING merchant_id`,
);

/**
 * Deletes secrets whose overlap has ended; returns how many. They are few, so one statement deletes them all.
 */
export async function sweepSecrets(ctx: Context): Promise<number> {
  const endedBefore = addSeconds(ctx.now(), -KEPT_SECONDS);
  return (await run(ctx.db, deleteEndedSecrets, { endedBefore })).length;
}
