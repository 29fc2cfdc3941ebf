import type { Tx } from '../../../platform/postgres/db.ts';
import { isNetwork } from '../../chain/networks.ts';
import { readAgainAbove } from '../chains.ts';
import { isOfMoving, ON_PAYMENT } from './tables/owners.ts';
import { ask } from './tables/rows.ts';
import { PAYMENT_TABLES } from './tables/tables.ts';

// What has other numbers in the target: positions in the feed, and the blocks of simulated chains.

/**
 * The target numbers the events of its feeds itself. What has counted a merchant's feed up to an event goes
 * on behind the same event there; where retention has deleted all that was counted, it goes on at the first
 * event that is left.
 */
export async function moveCountPosition(source: Tx, target: Tx, merchantId: string): Promise<void> {
  const [position] = await ask<{ last: string | null }>(
    source,
    `SELECT (
       SELECT e.id FROM events e
       WHERE e.merchant_id = c.merchant_id AND (e.txid, e.place) <= (c.txid, c.place)
       ORDER BY e.txid DESC, e.place DESC LIMIT 1
     ) AS last
     FROM payment_count_positions c WHERE c.merchant_id = $1`,
    [merchantId],
  );
  if (position === undefined) return;
  await ask(
    target,
    `INSERT INTO payment_count_positions (merchant_id, txid, place)
     SELECT $1, coalesce(e.txid, '0'), coalesce(e.place, 0)
     FROM (SELECT 1) one LEFT JOIN events e ON e.id = $2`,
    [merchantId, position.last],
  );
}

/**
 * Lets the target read the real networks with payments of the merchant again from above the final blocks that
 * the source has read. In the transaction that brings the rows: every page that knows these payments compares
 * their transfers with the chain, so what is known of a block that has left it is not confirmed.
 */
export async function readNetworksAgain(source: Tx, target: Tx, merchantId: string): Promise<void> {
  const rows = await ask<{ network: string; height: string }>(
    source,
    `SELECT split_part(c.chain, '/', 1) AS network, coalesce(c.final_height, 0)::text AS height
     FROM chain_cursors c WHERE c.chain LIKE '%/live' AND EXISTS (
       SELECT FROM payments p JOIN quotes q ON q.payment_id = p.id
       WHERE p.merchant_id = $1 AND (p.wallet_id IS NOT NULL OR p.exchange IS NOT NULL)
         AND q.network = split_part(c.chain, '/', 1))
     ORDER BY 1`,
    [merchantId],
  );
  for (const { network, height } of rows)
    if (isNetwork(network)) await readAgainAbove(target, network, Number(height));
}

interface Head {
  readonly chain: string;
  readonly height: string;
  readonly mined_at: Date;
}

const SENT = PAYMENT_TABLES.find(({ name }) => name === 'sim_transfers');

/** SQL: the number of a transfer among the changes of a chain, by which the target's sync finds them. */
const CHANGE = {
  /** Behind all that it has read: it reads them again, and knows them. */
  read: 'head.changes + placed.place',
  /** Below all that it will read: to it they are old. */
  old: '(SELECT least(min(change), 0) FROM sim_transfers WHERE chain = $1) - placed.place',
};

/**
 * Puts the transfers of the chosen test payments on the target's simulated chains, which have other
 * heights: each is as deep there as it was, so payments that are in flight go on to confirm. In the order of
 * the simulator, by which a replacement comes before what it replaces.
 */
export async function moveSimulated(source: Tx, target: Tx, as: keyof typeof CHANGE): Promise<void> {
  if (SENT === undefined) throw new Error('sim_transfers is no table of merchants');
  const own = `${isOfMoving(SENT.hangs)} AND strpos(t.chain, '/') = 0`;
  const heads = await ask<Head>(
    source,
    `SELECT chain, height, mined_at FROM sim_heads
     WHERE chain IN (SELECT t.chain FROM sim_transfers t WHERE ${own}) ORDER BY chain`,
  );
  for (const { chain, height, mined_at } of heads) {
    await ask(
      target,
      'INSERT INTO sim_heads (chain, height, mined_at, changes) VALUES ($1, $2, $3, 0) ON CONFLICT DO NOTHING',
      [chain, height, mined_at],
    );
    // Locked first: what has changed on the chain by then is seen by the next statements.
    await ask(target, 'SELECT FROM sim_heads WHERE chain = $1 FOR UPDATE', [chain]);
    await ask(
      target,
      `WITH placed AS (
         SELECT tx_hash, row_number() OVER (ORDER BY dropped_at IS NOT NULL, seen_at, tx_hash) AS place
         FROM sim_transfers t WHERE ${own} AND t.chain = $1
       ), moved AS (
         UPDATE sim_transfers t SET change = ${CHANGE[as]},
           block_height = t.block_height + head.height - $2::bigint
         FROM placed, sim_heads head WHERE t.tx_hash = placed.tx_hash AND head.chain = $1
       )
       UPDATE sim_heads SET changes = changes + (SELECT count(*) FROM placed) WHERE chain = $1`,
      [chain, height],
    );
    // The hashes of blocks follow from their heights: without one, any is the same block.
    await ask(
      target,
      `UPDATE transfers t SET block_hash = NULL, block_height = t.block_height + head.height - $2::bigint
       FROM sim_heads head, payments p
       WHERE head.chain = $1 AND t.network = $1 AND NOT t.is_live
         AND p.id = t.payment_id AND p.test_clock IS NULL AND ${isOfMoving(ON_PAYMENT)}`,
      [chain, height],
    );
  }
}
