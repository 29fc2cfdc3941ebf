import { sql } from '../../../platform/postgres/sql.ts';
import type { CoinId } from '../coins.ts';

export interface HeadRow {
  readonly height: string;
  mined_at: Date;
}

export interface TransferRow {
  /** Of its chain; null: it is in no block. */
  head_height: string | null;
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
/** SQL: the same, and the head that tells which of them are final. */
const COLUMNS_AND_HEAD = `${COLUMNS},
  (SELECT height FROM sim_heads WHERE sim_heads.chain = sim_transfers.chain) AS head_height`;

// DO UPDATE locks the row that is there, and WHERE false leaves it as it is (PostgreSQL, INSERT, "ON CONFLICT
// Clause"): a lock without a result, which travels with what it protects.
export const lockHead = sql<never, { chain: string; now: Date }>(
  'sim_lock_head',
  (p) => `
    INSERT INTO sim_heads (chain, height, mined_at, changes)
    VALUES (${p.chain}, 0, ${p.now}, 0)
    ON CONFLICT (chain) DO UPDATE SET height = excluded.height WHERE false`,
);

export const findHead = sql<HeadRow, { chain: string }>(
  'sim_find_head',
  (p) => `SELECT height, mined_at FROM sim_heads WHERE chain = ${p.chain}`,
);

/**
 * SQL: CTEs that change the transfers that `changed` selects (hash, new block, drop, replacement, and the
 * time that orders them) and assign each the next place in the chain's order of changes; the head has to
 * count them. The caller has locked the chain's head: places are assigned in commit order, so no poller can
 * pass one that appears later. A dropped transfer comes after the one that replaces it.
 */
const CHANGES = (chain: string, changed: string) => `changed AS (${changed}
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
      )`;

/** SQL: the same as a statement, where the head does not change beside. */
const CHANGE = (chain: string, changed: string) => `
      WITH ${CHANGES(chain, changed)}
      UPDATE sim_heads SET changes = changes + (SELECT count(*) FROM changed) WHERE chain = ${chain}`;

interface Mining {
  readonly chain: string;
  readonly blockMs: number;
  readonly now: Date;
  /** Null: as many as are due. */
  readonly blocks: number | null;
}

// Blocks that are due follow the time of the head; the first of those that are asked for begins at once, and
// has all that was sent until then. A transfer belongs in the first block later than itself or, when that was
// mined before the transfer was committed, in the first of these; until then it has a place in the pool.
export const mine = sql<never, Mining>(
  'sim_mine',
  (p) => `
      WITH mined AS (
        SELECT height AS before, height + blocks AS height, begin_at,
          begin_at + step * blocks * interval '1 millisecond' AS mined_at
        FROM sim_heads CROSS JOIN LATERAL (
          SELECT coalesce(${p.blocks}::bigint, greatest(0, floor(
              extract(epoch FROM ${p.now}::timestamptz - mined_at) * 1000 / ${p.blockMs}::bigint
            ))::bigint) AS blocks,
            CASE WHEN ${p.blocks}::bigint IS NULL THEN mined_at
              ELSE greatest(mined_at, ${p.now}) END AS begin_at,
            CASE WHEN ${p.blocks}::bigint IS NULL THEN ${p.blockMs}::bigint ELSE 0 END AS step
        ) AS due
        WHERE chain = ${p.chain}
      ), ${CHANGES(
        p.chain,
        `
        SELECT tx_hash, seen_at, CASE WHEN due <= mined.height THEN due END AS block_height,
          dropped_at, replaced_by
        FROM mined CROSS JOIN sim_transfers CROSS JOIN LATERAL (
          SELECT mined.before + 1 + greatest(0, floor(
            extract(epoch FROM seen_at - mined.begin_at) * 1000 / ${p.blockMs}::bigint
          ))::bigint AS due
        ) AS block
        WHERE chain = ${p.chain} AND block_height IS NULL AND dropped_at IS NULL
          AND (due <= mined.height OR change IS NULL)`,
      )}
      UPDATE sim_heads SET changes = changes + (SELECT count(*) FROM changed),
        height = mined.height, mined_at = mined.mined_at
      FROM mined WHERE chain = ${p.chain}`,
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
export const recordDropped = sql<never, { chain: string; txHash: string; replacedBy: string; now: Date }>(
  'sim_record_dropped',
  (p) =>
    CHANGE(
      p.chain,
      `
        SELECT tx_hash, seen_at, NULL::bigint AS block_height,
          ${p.now}::timestamptz AS dropped_at, ${p.replacedBy}::text AS replaced_by
        FROM sim_transfers WHERE chain = ${p.chain} AND tx_hash = ${p.txHash} AND dropped_at IS NULL
        UNION ALL
        SELECT tx_hash, seen_at, block_height, dropped_at, replaced_by
        FROM sim_transfers WHERE chain = ${p.chain} AND tx_hash = ${p.replacedBy} AND change IS NULL`,
    ),
);

export const findReplacements = sql<TransferRow, { chain: string; hashes: readonly string[]; after: string }>(
  'sim_find_replacements',
  (p) => `
    SELECT ${COLUMNS_AND_HEAD} FROM sim_transfers
    WHERE chain = ${p.chain} AND tx_hash = ANY (${p.hashes}::text[]) AND change > ${p.after}::bigint
    ORDER BY change`,
);

export const findByHash = sql<TransferRow, { txHash: string }>(
  'sim_find_by_hash',
  (p) => `SELECT ${COLUMNS_AND_HEAD} FROM sim_transfers WHERE tx_hash = ${p.txHash}`,
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
    RETURNING ${COLUMNS}, NULL::bigint AS head_height, reference`,
);

export const findByReferences = sql<SentRow, { references: readonly (string | null)[] }>(
  'sim_find_by_references',
  (p) => `SELECT ${COLUMNS_AND_HEAD}, reference FROM sim_transfers
    WHERE reference = ANY (${p.references}::text[])`,
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
