import { sql, type Placeholders } from '../../../platform/postgres/sql.ts';
import type { CoinId } from '../coins.ts';

export interface HeadRow {
  readonly height: string;
  mined_at: Date;
}

export interface TransferRow {
  chain: string;
  tx_hash: string;
  coin: CoinId;
  address: string;
  sender: string | null;
  amount: string;
  seen_at: Date;
  block_height: string | null;
  dropped_at: Date | null;
  replaced_by: string | null;
}

export interface SentRow extends TransferRow {
  reference: string | null;
}

/** A head with one change; the columns of the change are null when there is none. */
export interface PageRow extends TransferRow {
  head_height: string;
  mined_at: Date;
  has_new: boolean;
  change: string | null;
}

const COLUMNS =
  'chain, tx_hash, coin, address, sender, amount, seen_at, block_height, dropped_at, replaced_by';

export const findHeadForUpdate = sql<HeadRow, { chain: string }>(
  'sim_find_head_for_update',
  (p) => `SELECT height, mined_at FROM sim_heads WHERE chain = ${p.chain} FOR UPDATE`,
);

export const findHead = sql<HeadRow, { chain: string }>(
  'sim_find_head',
  (p) => `SELECT height, mined_at FROM sim_heads WHERE chain = ${p.chain}`,
);

export const insertHead = sql<HeadRow, { chain: string; now: Date }>(
  'sim_insert_head',
  (p) => `
    INSERT INTO sim_heads (chain, height, mined_at, changes)
    VALUES (${p.chain}, 0, ${p.now}, 0)
    ON CONFLICT DO NOTHING
    RETURNING height, mined_at`,
);

/**
 * SQL: changes the transfers that `changed` selects (hash, new block, drop, replacement,
 * and the time that orders them) and assigns each the next place in the chain's order of changes. The caller
 * has locked the chain's head: places are assigned in commit order, so no poller can pass one that appears
 * later. A dropped transfer comes after the one that replaces it.
 */
const CHANGE = (chain: string, changed: string, alsoSet = '') => `
      WITH changed AS (${changed}
      ), placed AS (
        SELECT *, row_number() OVER (ORDER BY dropped_at IS NOT NULL, seen_at, tx_hash) AS place FROM changed
      ), recorded AS (
        UPDATE sim_transfers t SET
          block_height = placed.block_height,
          dropped_at = placed.dropped_at,
          replaced_by = placed.replaced_by,
          change = head.changes + placed.place
        FROM placed, sim_heads head
        WHERE t.tx_hash = placed.tx_hash AND head.chain = ${chain}
      )
      UPDATE sim_heads SET changes = changes + (SELECT count(*) FROM changed)${alsoSet}
      WHERE chain = ${chain}`;

/** Returns the statement of a change whose number of transfers nobody asks for. */
function recordChange<Params extends { chain: string }>(
  name: string,
  changed: (p: Placeholders<Params>) => string,
  alsoSet: (p: Placeholders<Params>) => string = () => '',
) {
  return sql<never, Params>(name, (p) => CHANGE(p.chain, changed(p), alsoSet(p)));
}

export const recordNew = recordChange<{ chain: string }>(
  'sim_record_new',
  (p) => `
        SELECT tx_hash, seen_at, block_height, dropped_at, replaced_by
        FROM sim_transfers WHERE chain = ${p.chain} AND change IS NULL`,
);

interface Mined {
  readonly chain: string;
  /** The height before these blocks; `height` is the new one. */
  readonly before: number;
  readonly height: number;
  /** When the first block begins; `blockMs` is the duration of a block, `until` the time of the last one. */
  readonly from: Date;
  readonly blockMs: number;
  readonly until: Date;
}

// A transfer belongs in the first block later than itself or, when that was mined before the transfer was
// committed, in the first of these. All new transfers are in the pool, so this assigns their places too.
export const recordMined = recordChange<Mined>(
  'sim_record_mined',
  (p) => `
        SELECT tx_hash, seen_at, CASE WHEN due <= ${p.height}::bigint THEN due END AS block_height,
          dropped_at, replaced_by
        FROM sim_transfers CROSS JOIN LATERAL (
          SELECT ${p.before}::bigint + 1 + greatest(0, floor(
            extract(epoch FROM seen_at - ${p.from}::timestamptz) * 1000 / ${p.blockMs}::bigint
          ))::bigint AS due
        ) AS block
        WHERE chain = ${p.chain} AND block_height IS NULL AND dropped_at IS NULL
          AND (due <= ${p.height}::bigint OR change IS NULL)`,
  (p) => `, height = ${p.height}::bigint, mined_at = ${p.until}`,
);

export const recordOrphaned = sql<{ count: string }, { chain: string; height: number }>(
  'sim_record_orphaned',
  (p) => `${CHANGE(
    p.chain,
    `
        SELECT tx_hash, seen_at, NULL::bigint AS block_height, dropped_at, replaced_by
        FROM sim_transfers
        WHERE chain = ${p.chain} AND block_height > ${p.height}::bigint AND dropped_at IS NULL`,
  )}
      RETURNING (SELECT count(*) FROM changed) AS count`,
);

// The replacement, too, when it is a new transfer: in one statement nothing can take a place between the two.
export const recordDropped = recordChange<{ chain: string; txHash: string; replacedBy: string; now: Date }>(
  'sim_record_dropped',
  (p) => `
        SELECT tx_hash, seen_at, NULL::bigint AS block_height,
          ${p.now}::timestamptz AS dropped_at, ${p.replacedBy}::text AS replaced_by
        FROM sim_transfers WHERE chain = ${p.chain} AND tx_hash = ${p.txHash} AND dropped_at IS NULL
        UNION ALL
        SELECT tx_hash, seen_at, block_height, dropped_at, replaced_by
        FROM sim_transfers WHERE chain = ${p.chain} AND tx_hash = ${p.replacedBy} AND change IS NULL`,
);

export const findReplacements = sql<TransferRow, { chain: string; hashes: readonly string[]; after: string }>(
  'sim_find_replacements',
  (p) => `
    SELECT ${COLUMNS} FROM sim_transfers
    WHERE chain = ${p.chain} AND tx_hash = ANY (${p.hashes}::text[]) AND change > ${p.after}::bigint
    ORDER BY change`,
);

export const findByHash = sql<TransferRow, { txHash: string }>(
  'sim_find_by_hash',
  (p) => `SELECT ${COLUMNS} FROM sim_transfers WHERE tx_hash = ${p.txHash}`,
);

// In order of references, so that two batches that share some cannot deadlock. Without a conflict target: a
// reference that is sent twice at once may conflict on the primary key first, because its hash is the same
// too.
export const insert = sql<SentRow, { rows: string; now: Date }>(
  'sim_insert_transfers',
  (p) => `
    INSERT INTO sim_transfers (tx_hash, chain, coin, address, sender, amount, reference, seen_at)
    SELECT sent.*, ${p.now}::timestamptz
    FROM json_to_recordset(${p.rows}::json)
      AS sent (
        tx_hash text, chain text, coin text, address text, sender text, amount numeric, reference text)
    ORDER BY reference
    ON CONFLICT DO NOTHING
    RETURNING ${COLUMNS}, reference`,
);

export const findByReferences = sql<SentRow, { references: readonly (string | null)[] }>(
  'sim_find_by_references',
  (p) => `SELECT ${COLUMNS}, reference FROM sim_transfers WHERE reference = ANY (${p.references}::text[])`,
);

export const findPage = sql<PageRow, { chain: string; after: string; limit: number }>(
  'sim_find_page',
  (p) => `
    SELECT head.height AS head_height, head.mined_at, page.*,
      EXISTS (SELECT FROM sim_transfers WHERE chain = ${p.chain} AND change IS NULL) AS has_new
    FROM sim_heads head LEFT JOIN LATERAL (
      SELECT ${COLUMNS}, change FROM sim_transfers
      WHERE chain = head.chain AND change > ${p.after}::bigint
      ORDER BY change LIMIT ${p.limit}
    ) AS page ON true
    WHERE head.chain = ${p.chain}
    ORDER BY page.change`,
);
