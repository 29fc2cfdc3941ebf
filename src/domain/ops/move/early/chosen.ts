import type { Tx } from '../../../../platform/postgres/db.ts';
import { isOfMoving, MOVING_PAYMENTS, ON_PAYMENT } from '../tables/owners.ts';
import { ask } from '../tables/rows.ts';
import { EVENTS, PAYMENT_TABLES } from '../tables/tables.ts';
import { IS_COPIED } from './notes.ts';

/** A place in a feed of the source. */
export interface FeedPlace {
  readonly txid: string;
  readonly place: string;
}

const CREATE = `CREATE TEMPORARY TABLE ${MOVING_PAYMENTS} (id text COLLATE "C" PRIMARY KEY) ON COMMIT DROP`;
const ADD = `INSERT INTO ${MOVING_PAYMENTS} SELECT id FROM unnest($1::text[]) AS c (id)`;

/** Chooses payments to be copied together in the source. */
export async function choose(from: Tx, ids: readonly string[]): Promise<void> {
  await ask(from, CREATE);
  await ask(from, ADD, [ids]);
  await ask(from, `ANALYZE ${MOVING_PAYMENTS}`);
}

/**
 * Chooses in the source what is left for the stop: the payments that are not in the target as they are, or of
 * which events are behind what is there of the feed; those too that have been deleted.
 */
export async function chooseRest(from: Tx, merchantId: string, feed: FeedPlace): Promise<string[]> {
  const rest = await ask<{ id: string }>(
    from,
    `SELECT p.id FROM payments p WHERE p.merchant_id = $1 AND NOT ${IS_COPIED}
     UNION SELECT payment_id FROM events WHERE merchant_id = $1 AND (txid, place) > ($2::xid8, $3::bigint)
     UNION SELECT n.payment_id FROM touched_payments n WHERE n.merchant_id = $1
       AND NOT EXISTS (SELECT FROM payments p WHERE p.id = n.payment_id)`,
    [merchantId, feed.txid, feed.place],
  );
  const ids = rest.map(({ id }) => id);
  await choose(from, ids);
  return ids;
}

/** Chooses the same payments in the target, and deletes what was copied of them before. */
export async function chooseAgain(to: Tx, ids: readonly string[]): Promise<void> {
  await ask(to, CREATE);
  await ask(to, `${ADD} WHERE EXISTS (SELECT FROM payments p WHERE p.id = c.id)`, [ids]);
  await ask(to, `ANALYZE ${MOVING_PAYMENTS}`);
  const [known] = await ask(to, `SELECT FROM ${MOVING_PAYMENTS} LIMIT 1`);
  if (known !== undefined)
    for (const { name, hangs } of PAYMENT_TABLES.toReversed())
      await ask(to, `DELETE FROM ${name} t WHERE ${isOfMoving(hangs)}`);
  await ask(to, `${ADD} ON CONFLICT DO NOTHING`, [ids]);
  await ask(to, `ANALYZE ${MOVING_PAYMENTS}`);
}

/** Deletes in the target the events of the chosen payments that the source does not have any more. */
export async function dropEvents(from: Tx, to: Tx): Promise<void> {
  for (const { name } of EVENTS) {
    const own = `SELECT t.id FROM ${name} t WHERE ${isOfMoving(ON_PAYMENT)}`;
    const kept = (await ask<{ id: string }>(from, own)).map(({ id }) => id);
    await ask(
      to,
      `DELETE FROM ${name} t WHERE ${isOfMoving(ON_PAYMENT)}
         AND NOT EXISTS (SELECT FROM unnest($1::text[]) AS kept (id) WHERE kept.id = t.id)`,
      [kept],
    );
  }
}
