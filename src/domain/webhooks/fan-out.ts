import { fanOutEvent } from '../events/jobs.ts';
import { finish, schedule } from '../due-work/store.ts';
import type { Context } from '../../platform/context.ts';
import { run, sql } from '../../platform/db.ts';
import { newId } from '../../platform/ids.ts';
import { deliverWebhook } from './jobs.ts';

// An event whose merchant has webhooks off, or no URL, is recorded and not delivered; callback_url overrides the URL, not the switch.
// In one order, because two runs with the same events would wait for each other's unique keys for ever if each had its own.
const insertDeliveries = sql<{ id: string }>(
  'insert_deliveries',
  `INSERT INTO deliveries (id, event_id, merchant_id, payment_id, status, created_at)
   SELECT n.delivery_id, e.id, e.merchant_id, e.payment_id, 'pending', $3
   FROM unnest($1::text[], $2::text[]) AS n (event_id, delivery_id)
     JOIN events e ON e.id = n.event_id
     JOIN merchants m ON m.id = e.merchant_id
   WHERE $4::text IS NOT NULL OR (m.webhooks_enabled AND coalesce(e.callback_url, m.webhook_url) IS NOT NULL)
   ORDER BY e.id
   ON CONFLICT (event_id) DO NOTHING
   RETURNING id`,
);

/** Turns events into deliveries that are due at once. Doing it twice adds nothing: an event has at most one delivery. */
export async function fanOutEvents(
  ctx: Context,
  eventIds: readonly string[],
  receiver: string | null = null,
): Promise<void> {
  const now = ctx.now();
  await ctx.db.transaction(async (tx) => {
    const added = await run(tx, insertDeliveries, [
      eventIds,
      eventIds.map(() => newId('dlv', now)),
      now,
      receiver,
    ]);
    await schedule(
      tx,
      added.map(({ id }) => ({ job: deliverWebhook, key: id, runAt: now, clock: ctx.clock })),
    );
    await finish(tx, fanOutEvent, eventIds, now);
  });
}
