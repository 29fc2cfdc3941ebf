import { hash } from 'node:crypto';
import { isOpen, statusesThat } from '../payments/lifecycle/states.ts';
import { addSeconds } from '../../platform/clock.ts';
import { run, runOne, sql, type Connection, type Tx } from '../../platform/postgres/db.ts';
import type { Link } from './link.ts';

/** A family or an office shares an address; whoever wants to keep others from buying has many payments. */
const MOST_HOLDS = 3;
/** The longest time to pay is a day: an older payment holds nothing unpaid. */
const KEPT_SECONDS = 86_400;

/** Whose payment it is, as far as it must be known. */
export function holderOf({ token }: Link, address: string): number {
  return hash('sha256', `${token} ${address}`, 'buffer').readUInt16BE();
}

const deletePassed = sql<never, { linkId: string; before: Date }>(
  'delete_passed_holds',
  (p) => `DELETE FROM link_holds WHERE link_id = ${p.linkId} AND created_at < ${p.before}`,
);
const insertHold = sql<never, { paymentId: string; linkId: string; holder: number; now: Date }>(
  'insert_hold',
  (p) => `
    INSERT INTO link_holds (payment_id, link_id, holder, created_at)
    VALUES (${p.paymentId}, ${p.linkId}, ${p.holder}, ${p.now})`,
);
// Index: link_holds_of_holder.
const countHolds = sql<{ holds: number }, { linkId: string; holder: number }>(
  'count_holds',
  (p) => `
    SELECT count(*)::integer AS holds FROM link_holds h JOIN payments p ON p.id = h.payment_id
    WHERE h.link_id = ${p.linkId} AND h.holder = ${p.holder}
      AND p.status IN (${statusesThat(isOpen)}) AND NOT p.fully_funded`,
);

const most = (scale: number): number => Math.max(1, MOST_HOLDS * scale);

/** Whether who asks holds as many items as one may without paying, times RATE_LIMIT_SCALE. */
export async function holdsMost(
  connection: Connection,
  { id: linkId }: Link,
  { holder, scale }: { holder: number; scale: number },
): Promise<boolean> {
  return ((await runOne(connection, countHolds, { linkId, holder }))?.holds ?? 0) >= most(scale);
}

/**
 * Writes down who holds an item by a new payment, in the transaction that stores it; false: they hold as many
 * as one may without paying, times RATE_LIMIT_SCALE. The caller has taken the item, which locks the link.
 */
export async function hold(
  tx: Tx,
  { id: linkId }: Link,
  { paymentId, holder, now, scale }: { paymentId: string; holder: number; now: Date; scale: number },
): Promise<boolean> {
  await run(tx, deletePassed, { linkId, before: addSeconds(now, -KEPT_SECONDS) });
  await run(tx, insertHold, { paymentId, linkId, holder, now });
  return ((await runOne(tx, countHolds, { linkId, holder }))?.holds ?? 0) <= most(scale);
}
