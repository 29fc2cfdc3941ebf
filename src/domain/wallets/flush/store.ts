import type { NetworkId } from '../../chain/networks.ts';
import { recordset, run, runOne, sql, type Connection } from '../../../platform/postgres/db.ts';

/** A flush that was signed, and of which nothing is final. */
export interface OpenFlush {
  readonly tx_hash: string;
  readonly account: string;
  /** A bigint, thus a string. */
  readonly nonce: string;
  readonly raw: Buffer;
  readonly payment_ids: readonly string[];
  /** What it moves, in US dollars. */
  readonly usd: string;
  readonly sent_at: Date;
}

const openFlushes = sql<OpenFlush, { network: NetworkId }>(
  'open_flushes',
  (p) => `
    SELECT tx_hash, account, nonce, raw, payment_ids, usd::text, sent_at FROM flushes
    WHERE network = ${p.network} AND ended_at IS NULL
    ORDER BY sent_at DESC, tx_hash`,
);

/** Returns the open flush of a network with those that it replaces, the newest first: all have one nonce. */
export async function findOpenFlushes(connection: Connection, network: NetworkId): Promise<OpenFlush[]> {
  return run(connection, openFlushes, { network });
}

type NewFlush = Omit<OpenFlush, 'nonce' | 'payment_ids'> & {
  readonly network: NetworkId;
  readonly nonce: number;
  readonly payment_ids: readonly string[];
};

const insertFlush = sql<never, NewFlush>(
  'insert_flush',
  (p) => `
    INSERT INTO flushes (tx_hash, network, account, nonce, raw, payment_ids, usd, sent_at)
    VALUES (${p.tx_hash}, ${p.network}, ${p.account}, ${p.nonce}, ${p.raw}, ${p.payment_ids}, ${p.usd},
      ${p.sent_at})`,
);

/** Stores a flush as it was signed, before anybody sees it. */
export async function storeFlush(connection: Connection, flush: NewFlush): Promise<void> {
  await run(connection, insertFlush, flush);
}

/** What became of the nonce of an open flush, in a final block. */
export interface FlushOutcome {
  /** The one that is in the block; null: a transaction that is none of ours. */
  readonly tx_hash: string | null;
  readonly outcome: 'flushed' | 'reverted';
  readonly gas_used: string | null;
  /** Decimal string in the native coin. */
  readonly fee: string | null;
}

const endFlushes = sql<{ tx_hash: string }, FlushOutcome & { network: NetworkId; now: Date }>(
  'end_flushes',
  (p) => `
    UPDATE flushes SET ended_at = ${p.now},
      outcome = CASE WHEN tx_hash = ${p.tx_hash} THEN ${p.outcome}::text ELSE 'replaced' END,
      gas_used = CASE WHEN tx_hash = ${p.tx_hash} THEN ${p.gas_used}::bigint END,
      fee = CASE WHEN tx_hash = ${p.tx_hash} THEN ${p.fee}::numeric END
    WHERE network = ${p.network} AND ended_at IS NULL RETURNING tx_hash`,
);

/** Ends the open flush of a network, and those that it replaced. */
export async function endOpenFlushes(
  connection: Connection,
  network: NetworkId,
  outcome: FlushOutcome,
  now: Date,
): Promise<void> {
  await run(connection, endFlushes, { network, now, ...outcome });
}

const abandon = sql<{ tx_hash: string }, { network: NetworkId; txHash: string; now: Date }>(
  'abandon_flushes',
  (p) => `
    UPDATE flushes SET ended_at = ${p.now}, outcome = 'abandoned'
    WHERE network = ${p.network} AND ended_at IS NULL
      AND EXISTS (SELECT FROM flushes
        WHERE tx_hash = ${p.txHash} AND network = ${p.network} AND ended_at IS NULL)
    RETURNING tx_hash`,
);

/**
 * Ends the open flush of a network, to which a hash belongs, and those that it replaced, whatever becomes of
 * them. Returns how many these were; 0: it is not that of an open flush.
 */
export async function abandonFlushes(
  connection: Connection,
  network: NetworkId,
  txHash: string,
  now: Date,
): Promise<number> {
  return (await run(connection, abandon, { network, txHash, now })).length;
}

/** What was seen of a coin at a deposit address, after a final block. */
export interface SeenDeposit {
  readonly payment_id: string;
  readonly coin: string;
  /** The block after which nothing was left; null: something was. */
  readonly empty_at: number | null;
}

// Two runs that look at the same time see final blocks: the later one is right, and so is the earlier one.
const markDeposits = sql<never, { network: NetworkId; seen: string; now: Date }>(
  'mark_flushed_deposits',
  (p) => `
    INSERT INTO flushed_deposits AS f (payment_id, network, coin, empty_at, tries, retry_at)
    SELECT payment_id, ${p.network}, coin, empty_at,
      CASE WHEN empty_at IS NULL THEN 1 ELSE 0 END,
      CASE WHEN empty_at IS NULL THEN ${p.now}::timestamptz + interval '1 hour' END
    FROM json_to_recordset(${p.seen}::json) AS s (payment_id text, coin text, empty_at bigint)
    ON CONFLICT (payment_id, network, coin) DO UPDATE SET
      empty_at = greatest(f.empty_at, excluded.empty_at),
      tries = CASE WHEN excluded.empty_at IS NULL THEN f.tries + 1 ELSE 0 END,
      retry_at = CASE WHEN excluded.empty_at IS NULL
        THEN ${p.now}::timestamptz + interval '1 hour' * least(2 ^ f.tries, 720) END`,
);

// It waits for nobody, who may hold payments that this has not locked. What it skips is found by `empty_at`,
// and only stays in the index.
const leaveIndex = sql<never, { network: NetworkId; seen: string }>(
  'transfers_that_have_left',
  (p) => `
    WITH gone AS (
      SELECT t.payment_id, t.network, t.tx_hash, t.coin FROM transfers t
        JOIN json_to_recordset(${p.seen}::json) AS s (payment_id text, coin text, empty_at bigint)
          ON t.payment_id = s.payment_id AND t.coin = s.coin AND t.block_height <= s.empty_at
      WHERE t.network = ${p.network} AND t.is_live AND t.dropped_at IS NULL AND NOT t.has_left
      FOR NO KEY UPDATE OF t SKIP LOCKED
    )
    UPDATE transfers t SET has_left = true FROM gone g
    WHERE t.payment_id = g.payment_id AND t.network = g.network
      AND t.tx_hash = g.tx_hash AND t.coin = g.coin`,
);

/**
 * Records what was seen. What is left after a flush is tried again an hour later, then after twice as long,
 * at last after 30 days: a token that refuses an address would cost gas with each run.
 */
export async function markSeen(
  connection: Connection,
  network: NetworkId,
  seen: readonly SeenDeposit[],
  now: Date,
): Promise<void> {
  if (seen.length === 0) return;
  await run(connection, markDeposits, { network, seen: recordset(seen), now });
  await run(connection, leaveIndex, { network, seen: recordset(seen) });
}

const scanned = sql<{ final_height: string | null; halted: boolean }, { chain: string }>(
  'scanned_for_flush',
  (p) => `SELECT final_height, halted_at IS NOT NULL AS halted FROM chain_cursors WHERE chain = ${p.chain}`,
);

/** Returns up to which final block the watcher has read a chain; null: not at all, or it has halted. */
export async function scannedHeight(connection: Connection, chain: string): Promise<number | null> {
  const cursor = await runOne(connection, scanned, { chain });
  return cursor === null || cursor.halted || cursor.final_height === null
    ? null
    : Number(cursor.final_height);
}

const storeLooks = sql<never, { network: NetworkId; ids: readonly string[]; height: number }>(
  'store_flush_looks',
  (p) => `
    INSERT INTO flush_looks AS l (payment_id, network, looked_at)
    SELECT id, ${p.network}, ${p.height} FROM unnest(${p.ids}::text[]) AS i (id)
    ON CONFLICT (payment_id, network) DO UPDATE SET looked_at = greatest(l.looked_at, excluded.looked_at)`,
);

/** Records that payments' addresses were looked at and are not worth moving: others are looked at first. */
export async function recordLooks(
  connection: Connection,
  network: NetworkId,
  ids: readonly string[],
  height: number,
): Promise<void> {
  if (ids.length > 0) await run(connection, storeLooks, { network, ids, height });
}
