import { sql } from '../../../platform/postgres/db.ts';
import type { CoinId } from '../coins.ts';

export interface HeadRow {
  height: string;
  mined_at: Date;
}

export interface TransferRow {
  chain: string;
  tx_hash: string;
  coin: CoinId;
  address: string;
  amount: string;
  seen_at: Date;
  block_height: string | null;
  dropped_at: Date | null;
  replaced_by: string | null;
}

export interface SentRow extends TransferRow {
  reference: string | null;
}

/** A head, beside one change; the columns of the change are null where there is none. */
export interface PageRow extends TransferRow {
  head_height: string;
  mined_at: Date;
  has_new: boolean;
  change: string | null;
}

const COLUMNS = 'chain, tx_hash, coin, address, amount, seen_at, block_height, dropped_at, replaced_by';

export const findHeadForUpdate = sql<HeadRow>(
  'sim_find_head_for_update',
  'SELECT height, mined_at FROM sim_heads WHERE chain = $1 FOR UPDATE',
);

export const findHead = sql<HeadRow>(
  'sim_find_head',
  'SELECT height, mined_at FROM sim_heads WHERE chain = $1',
);

export const insertHead = sql(
  'sim_insert_head',
  'INSERT INTO sim_heads (chain, height, mined_at, changes) VALUES ($1, 0, $2, 0) ON CONFLICT DO NOTHING',
);

/**
 * A statement that changes the transfers that `changed` selects (hash, new block, drop, replacement, and the moment that puts them
 * in order) and gives each the next place in the chain's order of changes. $1 is the chain, whose head the caller has
 * locked: places are thus given in the order of commits, and no poller can pass one that shows up later.
 */
function recording(name: string, changed: string, alsoSet = '') {
  return sql<{ count: string }>(
    name,
    `WITH changed AS (${changed}),
     placed AS (SELECT *, row_number() OVER (ORDER BY seen_at, tx_hash) AS place FROM changed),
     recorded AS (
       UPDATE sim_transfers t
       SET block_height = placed.block_height, dropped_at = placed.dropped_at, replaced_by = placed.replaced_by,
           change = head.changes + placed.place
       FROM placed, sim_heads head
       WHERE t.tx_hash = placed.tx_hash AND head.chain = $1
     )
     UPDATE sim_heads SET changes = changes + (SELECT count(*) FROM changed)${alsoSet} WHERE chain = $1
     RETURNING (SELECT count(*) FROM changed) AS count`,
  );
}

export const recordNew = recording(
  'sim_record_new',
  `SELECT tx_hash, seen_at, block_height, dropped_at, replaced_by
   FROM sim_transfers WHERE chain = $1 AND change IS NULL`,
);

// $2 and $3: heights before and after; $4: start of the first block's time; $5: milliseconds of a block. A transfer belongs in
// the first block later than itself, or, where that was mined before the transfer was committed, in the first of these.
// New transfers are all in the pool, so this gives them their place too.
export const recordMined = recording(
  'sim_record_mined',
  `SELECT tx_hash, seen_at, CASE WHEN due <= $3::bigint THEN due END AS block_height, dropped_at, replaced_by
   FROM sim_transfers CROSS JOIN LATERAL (
     SELECT $2::bigint + 1
       + greatest(0, floor(extract(epoch FROM seen_at - $4::timestamptz) * 1000 / $5::bigint))::bigint AS due
   ) AS block
   WHERE chain = $1 AND block_height IS NULL AND dropped_at IS NULL AND (due <= $3::bigint OR change IS NULL)`,
  ', height = $3::bigint, mined_at = $6',
);

export const recordOrphaned = recording(
  'sim_record_orphaned',
  `SELECT tx_hash, seen_at, NULL::bigint AS block_height, dropped_at, replaced_by
   FROM sim_transfers WHERE chain = $1 AND block_height > $2::bigint AND dropped_at IS NULL`,
);

export const recordDropped = recording(
  'sim_record_dropped',
  `SELECT tx_hash, seen_at, NULL::bigint AS block_height, $4::timestamptz AS dropped_at, $3::text AS replaced_by
   FROM sim_transfers WHERE chain = $1 AND tx_hash = $2 AND dropped_at IS NULL`,
);

export const findByHash = sql<TransferRow>(
  'sim_find_by_hash',
  `SELECT ${COLUMNS} FROM sim_transfers WHERE tx_hash = $1`,
);

// In order of references, so that two batches that share some cannot deadlock.
// No conflict target: a reference sent twice at once may meet the primary key first, because its hash is the same too.
export const insert = sql<SentRow>(
  'sim_insert_transfers',
  `INSERT INTO sim_transfers (tx_hash, chain, coin, address, amount, reference, seen_at)
   SELECT sent.*, $7::timestamptz
   FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::numeric[], $6::text[]) AS sent
   ORDER BY 6
   ON CONFLICT DO NOTHING
   RETURNING ${COLUMNS}, reference`,
);

export const findByReferences = sql<SentRow>(
  'sim_find_by_references',
  `SELECT ${COLUMNS}, reference FROM sim_transfers WHERE reference = ANY($1::text[])`,
);

export const findPage = sql<PageRow>(
  'sim_find_page',
  `SELECT head.height AS head_height, head.mined_at, page.*,
     EXISTS (SELECT FROM sim_transfers WHERE chain = $1 AND change IS NULL) AS has_new
   FROM sim_heads head LEFT JOIN LATERAL (
     SELECT ${COLUMNS}, change FROM sim_transfers
     WHERE chain = head.chain AND change > $2::bigint
     ORDER BY change LIMIT $3
   ) AS page ON true
   WHERE head.chain = $1
   ORDER BY page.change`,
);

export const copyHead = sql(
  'sim_copy_head',
  `INSERT INTO sim_heads (chain, height, mined_at, changes) SELECT $2, height, mined_at, changes FROM sim_heads WHERE chain = $1
   FOR UPDATE ON CONFLICT DO NOTHING`,
);

export const moveTransfers = sql(
  'sim_move_transfers',
  `UPDATE sim_transfers SET chain = $2 WHERE chain = $1 AND address = $3`,
);
