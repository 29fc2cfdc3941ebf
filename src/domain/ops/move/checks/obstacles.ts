import type { Connection } from '../../../../platform/postgres/db.ts';
import { IS_OPEN } from '../../../payments/refunds/states.ts';
import { MoveRefused } from '../steps.ts';
import { ask } from '../tables/rows.ts';

/**
 * What must be over before a merchant leaves its cell. Money that a signer was asked for, another one would
 * pay again. A report of a simulated chain has this cell's heights; one of a real chain comes along, as it
 * does when the stop of this very move quarantines it, or that of one that was killed.
 */
const OBSTACLES = `
  SELECT (SELECT count(*)::int FROM refunds r JOIN payments p ON p.id = r.payment_id
      WHERE p.merchant_id = $1 AND r.offered_at IS NOT NULL AND ${IS_OPEN('r')}) AS count,
    'refunds were offered to the signer of this cell: move when it has paid them' AS why
  UNION ALL
  SELECT (SELECT count(*)::int FROM payments p LEFT JOIN wallets w ON w.id = p.wallet_id AND w.merchant_id = $1
      WHERE p.merchant_id = $1 AND p.wallet_id IS NOT NULL AND w.id IS NULL),
    'payments take money at a wallet of the cell, which cannot leave it: such a merchant stays'
  UNION ALL
  SELECT (SELECT count(*)::int FROM unapplied_transfers WHERE merchant_id = $1 AND NOT is_live),
    'reports of simulated chains wait to be applied, for a minute after a stop: stuck says why they stay'
  UNION ALL
  SELECT (SELECT count(*)::int FROM flushes f WHERE f.ended_at IS NULL AND EXISTS (
      SELECT FROM payments p WHERE p.merchant_id = $1 AND p.id = ANY (f.payment_ids))),
    'flushes are under way: move when they have ended'`;

/**
 * Throws MoveRefused where something of the merchant is not over. It is asked before payments are copied,
 * before writes stop, so that they do not stop in vain, and in the snapshot that is copied: until writes have
 * stopped and jobs rest, each of these may begin.
 */
export async function assertNoObstacle(source: Connection, merchantId: string): Promise<void> {
  for (const { count, why } of await ask<{ count: number; why: string }>(source, OBSTACLES, [merchantId]))
    if (count > 0) throw new MoveRefused(`${count} ${why}`);
}
