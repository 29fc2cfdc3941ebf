import { recordset, run, runOne, sql, type Tx } from '../../../platform/postgres/db.ts';

// The one owner of `taken`: the number of a link's payments that hold an item, because they are open or paid.

/** The link has no item left, has ended, is paused or was archived. */
export class LinkClosed extends Error {
  constructor() {
    super('the payment link takes no payment');
    this.name = 'LinkClosed';
  }
}

const takeItem = sql<{ taken: number }, { linkId: string; now: Date }>(
  'take_item_of_link',
  (p) => `
    UPDATE payment_links SET taken = taken + 1
    WHERE id = ${p.linkId} AND archived_at IS NULL AND paused_at IS NULL
      AND (expires_at IS NULL OR expires_at > ${p.now})
      AND (max_uses IS NULL OR taken < max_uses) AND (stock IS NULL OR taken < stock)
    RETURNING taken`,
);

/**
 * Takes an item for a new payment of the link, in the transaction that stores the payment; false: the link
 * has none left, has ended, is paused or was archived. Of two buyers of the last one the second waits here
 * for the first, and reads the row again.
 */
export async function takeItemOf(tx: Tx, linkId: string, now: Date): Promise<boolean> {
  return (await runOne(tx, takeItem, { linkId, now })) !== null;
}

const lockLinks = sql<{ id: string }, { ids: readonly string[] }>(
  'lock_links',
  (p) => `SELECT id FROM payment_links WHERE id = ANY (${p.ids}) ORDER BY id FOR NO KEY UPDATE`,
);
const moveItems = sql<never, { moves: string }>(
  'move_items_of_links',
  (p) => `
    UPDATE payment_links l SET taken = l.taken + m.change
    FROM json_to_recordset(${p.moves}::json) AS m (id text, change integer)
    WHERE l.id = m.id`,
);

/**
 * Adds to what links have taken: -1 for a payment that has ended unpaid or was sent back, 1 for one that
 * holds an item again, because its money came in time and was seen late. In the order of ids: two sets that
 * lock in different orders would deadlock.
 */
export async function moveItemsOf(
  tx: Tx,
  moves: readonly { linkId: string; change: number }[],
): Promise<void> {
  const changes = new Map<string, number>();
  for (const { linkId, change } of moves) changes.set(linkId, (changes.get(linkId) ?? 0) + change);
  const moved = [...changes].filter(([, change]) => change !== 0).map(([id, change]) => ({ id, change }));
  if (moved.length === 0) return;
  await run(tx, lockLinks, { ids: moved.map(({ id }) => id) });
  await run(tx, moveItems, { moves: recordset(moved) });
}
