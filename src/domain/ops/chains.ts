import { LIVE_CHAIN_KEY, liveChainKey } from '../chain/chain-key.ts';
import { isProofOfWork, NETWORK_IDS, type NetworkId } from '../chain/networks.ts';
import type { Provider } from '../chain/port.ts';
import { run, runOne, sql, type Connection } from '../../platform/postgres/db.ts';

/** How far a real network is read. */
export interface LiveChain {
  readonly network: NetworkId;
  /** Bigints, thus strings. */
  readonly head: string;
  readonly head_hash: string | null;
  readonly head_at: Date | null;
  readonly final_height: string | null;
  /** Null: nothing was read yet, or since a rescan was asked for. */
  readonly scanned_until: Date | null;
  /** When it was last read, whether or not there was a new block; null: an earlier release's watcher did. */
  readonly read_at: Date | null;
  readonly halted_at: Date | null;
  readonly halted_because: string | null;
  readonly providers: readonly Provider[];
  /** Why its client waits; null: its last page was whole. */
  readonly waits_because: string | null;
  /** When its balances were last compared; null: nobody does. */
  readonly audited_at: Date | null;
}

const COLUMNS = `head, head_hash, head_at, final_height, scanned_until, read_at, halted_at, halted_because, providers,
  waits_because, audited_at`;

/**
 * SQL: when a network was last read whose blocks come at random: the time of the last one does not tell that.
 * Null for the others.
 */
export const READ_AT = (network: string): string =>
  `CASE WHEN ${network} IN (${NETWORK_IDS.filter(isProofOfWork)
    .map((id) => `'${id}'`)
    .join()}) THEN read_at END`;

const liveChains = sql<LiveChain, { networks: readonly NetworkId[] }>(
  'live_chains',
  (p) => `
    SELECT n.network, ${COLUMNS}
    FROM unnest(${p.networks}::text[]) AS n (network)
      JOIN chain_cursors c ON c.chain = ${LIVE_CHAIN_KEY('n.network')}
    ORDER BY n.network`,
);

/** Returns the real networks that a watcher reads, or has read. */
export async function readLiveChains(connection: Connection): Promise<LiveChain[]> {
  return run(connection, liveChains, { networks: NETWORK_IDS });
}

const resume = sql<{ chain: string }, { chain: string }>(
  'resume_chain',
  (p) => `
    UPDATE chain_cursors SET halted_at = NULL, halted_because = NULL
    WHERE chain = ${p.chain} AND halted_at IS NOT NULL RETURNING chain`,
);

/** Lets a network that has halted be read on; false: it had not. */
export async function resumeChain(connection: Connection, network: NetworkId): Promise<boolean> {
  return (await runOne(connection, resume, { chain: liveChainKey(network) })) !== null;
}

// No deadline passes until the scan has come back to it. A client takes the height of its cursor for final:
// above the final one it would confirm what a reorganisation may take back.
const rescan = sql<{ cursor: string }, { chain: string; height: number }>(
  'rescan_chain',
  (p) => `
    UPDATE chain_cursors SET scanned_until = NULL,
      cursor = greatest(0, least(${p.height}::bigint, final_height))::text
    WHERE chain = ${p.chain} AND head >= ${p.height}::bigint RETURNING cursor`,
);

const readAbove = sql<never, { chain: string; height: number }>(
  'read_chain_again_above',
  (p) => `
    UPDATE chain_cursors SET scanned_until = NULL,
      cursor = greatest(0, least(${p.height}::bigint, final_height))::text
    WHERE chain = ${p.chain} AND cursor IS NOT NULL`,
);

/**
 * Lets a network be read again from above a height, also where nobody has read up to it yet: then from the
 * first block that is not final. What was reported above there is compared with the chain once more, and a
 * page that is under way is not applied.
 */
export async function readAgainAbove(
  connection: Connection,
  network: NetworkId,
  height: number,
): Promise<void> {
  await run(connection, readAbove, { chain: liveChainKey(network), height });
}

/**
 * Lets a network be read again from the block at a height on, or from the first that is not final, also one
 * that has halted, once it is resumed. Returns the first block that is read; null: no watcher has read the
 * network, or its head is lower. A watcher whose page is under way does not apply it.
 */
export async function rescanChain(
  connection: Connection,
  network: NetworkId,
  from: number,
): Promise<number | null> {
  // A cursor that is a height: what is above it is read again.
  const rescanned = await runOne(connection, rescan, { chain: liveChainKey(network), height: from - 1 });
  return rescanned === null ? null : Number(rescanned.cursor) + 1;
}
