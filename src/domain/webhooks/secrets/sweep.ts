import { addSeconds } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import { run, sql } from '../../../platform/postgres/db.ts';

/** Nobody reads a secret that has ended; the hour covers clocks that disagree. */
const KEPT_SECONDS = 3600;

const deleteEndedSecrets = sql<{ merchant_id: string }>(
  'delete_ended_webhook_secrets',
  `DELETE FROM webhook_secrets WHERE expires_at < $1 RETURNING merchant_id`,
);

/** Deletes secrets whose overlap has ended; answers how many. They are few: a statement of one go. */
export async function sweepSecrets(ctx: Context): Promise<number> {
  return (await run(ctx.db, deleteEndedSecrets, [addSeconds(ctx.now(), -KEPT_SECONDS)])).length;
}
