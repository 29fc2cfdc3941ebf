import type { ChainKey } from '../../chain/chain-key.ts';
import type { ChainPage } from '../../chain/port.ts';
import { recordset, run, runOne, sql, type Connection, type Tx } from '../../../platform/postgres/db.ts';

/** How far a chain is read, and what its last page said. */
export interface ChainCursor {
  readonly cursor: string | null;
  /** Bigints, thus strings. */
  readonly head: string;
  /** Null: an earlier release has synced the chain. */
  readonly final_height: string | null;
  readonly safe_height: string | null;
}

const cursorOfChain = sql<ChainCursor, { chain: ChainKey }>(
  'chain_cursor',
  (p) => `SELECT cursor, head, final_height, safe_height FROM chain_cursors WHERE chain = ${p.chain}`,
);

/** Returns how far a chain is read; null: not at all. */
export async function readCursor(connection: Connection, chain: ChainKey): Promise<ChainCursor | null> {
  return runOne(connection, cursorOfChain, { chain });
}

interface Advance {
  /** A recordset of one row. */
  readonly page: string;
  readonly before: string | null;
  readonly headBefore: string | null;
}

// The head is the chain's own, also where it is lower than before: a node that was wrong is corrected. Of two
// syncs that began at the same cursor and head one applies its page, so an older head replaces none. What was
// read stays read: the scan's time never falls.
const advance = sql<{ chain: string }, Advance>(
  'advance_chain_cursor',
  (p) => `
    INSERT INTO chain_cursors
      (chain, cursor, head, head_hash, head_at, final_height, safe_height, scanned_until, providers,
       waits_because, read_at)
    SELECT * FROM json_to_recordset(${p.page}::json) AS page (chain text, cursor text, head bigint,
      head_hash text, head_at timestamptz, final_height bigint, safe_height bigint,
      scanned_until timestamptz, providers jsonb, waits_because text, read_at timestamptz)
    ON CONFLICT (chain) DO UPDATE SET
      cursor = excluded.cursor,
      head = excluded.head,
      head_hash = excluded.head_hash,
      head_at = excluded.head_at,
      final_height = excluded.final_height,
      safe_height = excluded.safe_height,
      scanned_until = greatest(chain_cursors.scanned_until, excluded.scanned_until),
      providers = excluded.providers,
      waits_because = excluded.waits_because,
      read_at = excluded.read_at
      WHERE chain_cursors.cursor IS NOT DISTINCT FROM ${p.before}
        AND chain_cursors.head IS NOT DISTINCT FROM ${p.headBefore}::bigint
        AND chain_cursors.halted_at IS NULL
    RETURNING chain`,
);

/**
 * Stores what a page says of its chain; false: another sync was faster, or the chain has halted, and the page
 * must not be applied. Syncs of one chain wait for each other here.
 */
export async function advanceCursor(
  tx: Tx,
  chain: ChainKey,
  before: ChainCursor | null,
  page: ChainPage,
  now: Date,
): Promise<boolean> {
  const { height: head, hash: head_hash, time: head_at } = page.head;
  const { cursor, finalHeight: final_height, safeHeight: safe_height, scannedUntil: scanned_until } = page;
  const row = { chain, cursor, head, head_hash, head_at, final_height, safe_height, scanned_until };
  const waits_because = typeof page.next === 'object' ? page.next.why : null;
  const rows = recordset([{ ...row, providers: page.providers, waits_because, read_at: now }]);
  const headBefore = before?.head ?? null;
  return (await run(tx, advance, { page: rows, before: before?.cursor ?? null, headBefore })).length > 0;
}

const halted = sql<{ halted: boolean }, { chain: ChainKey }>(
  'chain_is_halted',
  (p) => `SELECT halted_at IS NOT NULL AS halted FROM chain_cursors WHERE chain = ${p.chain}`,
);

/** True from the moment a chain is halted until an operator resumes it. */
export async function isHalted(connection: Connection, chain: ChainKey): Promise<boolean> {
  return (await runOne(connection, halted, { chain }))?.halted ?? false;
}

const halt = sql<never, { chain: ChainKey; reason: string; now: Date }>(
  'halt_chain',
  (p) => `
    INSERT INTO chain_cursors (chain, halted_at, halted_because) VALUES (${p.chain}, ${p.now}, ${p.reason})
    ON CONFLICT (chain) DO UPDATE SET halted_at = excluded.halted_at, halted_because = excluded.halted_because
      WHERE chain_cursors.halted_at IS NULL`,
);

/** Halts a chain: no page of it is applied from now on, and no deadline on it passes. */
export async function haltChain(
  connection: Connection,
  chain: ChainKey,
  reason: string,
  now: Date,
): Promise<void> {
  await run(connection, halt, { chain, reason: reason.slice(0, 1000), now });
}

const declare = sql<never, { chain: ChainKey }>(
  'declare_chain',
  (p) => `INSERT INTO chain_cursors (chain) VALUES (${p.chain}) ON CONFLICT DO NOTHING`,
);

/** Makes a chain known that is to be read: where that never works, its state says so. */
export async function declareChain(connection: Connection, chain: ChainKey): Promise<void> {
  await run(connection, declare, { chain });
}
