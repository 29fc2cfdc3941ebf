import { recordset, run, runOne, type Connection, type Db, type Tx } from '../../../platform/postgres/db.ts';
import { networkOf, type ChainKey } from '../chain-key.ts';
import type { CoinId } from '../coins.ts';
import { NETWORKS } from '../networks.ts';
import type { ChainTransfer } from '../port.ts';
import { blockHash } from '../transaction-hashes.ts';
import * as statements from './statements.ts';
import type { HeadRow, TransferRow } from './statements.ts';
import * as testClocks from './test-clock-statements.ts';

/** The newest block of a chain. */
export interface Head {
  readonly height: number;
  readonly minedAt: Date;
}

/** Blocks to mine on top of a head. */
export interface Blocks {
  readonly blockMs: number;
  readonly now: Date;
  /** Null: as many as are due at `now`. */
  readonly blocks: number | null;
}

export interface NewTransfer {
  readonly chain: ChainKey;
  readonly txHash: string;
  readonly coin: CoinId;
  readonly address: string;
  readonly sender: string | null;
  readonly amount: string;
  readonly reference: string | null;
}

/**
 * Locks the head of `chain` until the transaction ends, and creates it, at height 0 and `now`, when it is
 * missing; mines blocks on top of it, and assigns every new transfer a place, mined or not: pollers then see
 * all that is committed. The lock is a statement before: what another process has committed by then is seen.
 */
export async function mineBlocks(tx: Tx, chain: ChainKey, blocks: Blocks): Promise<void> {
  await run(tx, statements.lockHead, { chain, now: blocks.now });
  await run(tx, statements.mine, { chain, ...blocks });
}

/** Returns the current head of `chain`; null when there is none yet. */
export async function findHead(connection: Connection, chain: ChainKey): Promise<Head | null> {
  const row = await runOne(connection, statements.findHead, { chain });
  return row === null ? null : toHead(row);
}

/**
 * Returns the transfers of blocks above `height` to the pool, and how many there were. The head must be
 * locked.
 */
export async function orphanTransfersAbove(tx: Tx, chain: ChainKey, height: number): Promise<number> {
  const row = await runOne(tx, statements.recordOrphaned, { chain, height });
  return Number(row?.count ?? 0);
}

/**
 * Drops a transfer that is not dropped yet, and assigns its replacement, when that is a new transfer, the
 * place before it. The head must be locked.
 */
export async function dropTransfer(
  tx: Tx,
  chain: ChainKey,
  txHash: string,
  replacedBy: string,
  now: Date,
): Promise<void> {
  await run(tx, statements.recordDropped, { chain, txHash, replacedBy, now });
}

export async function findTransfer(connection: Connection, txHash: string): Promise<ChainTransfer | null> {
  const row = await runOne(connection, statements.findByHash, { txHash });
  return row === null ? null : toTransfer(row);
}

/** Moves an address and its transfers to the chain `to`, which begins at the head of `from`. */
export async function isolateChain(tx: Tx, from: ChainKey, to: ChainKey, address: string): Promise<void> {
  await run(tx, testClocks.copyHead, { from, to });
  await run(tx, testClocks.moveTransfers, { from, to, address });
}

/**
 * Inserts transfers into the pool, except those whose reference was used before; returns both, in any order.
 */
export async function insertTransfers(
  connection: Connection,
  transfers: readonly NewTransfer[],
  now: Date,
): Promise<{ reference: string | null; transfer: ChainTransfer }[]> {
  const rows = recordset(
    transfers.map(({ chain, txHash, coin, address, sender, amount, reference }) => ({
      tx_hash: txHash,
      chain,
      coin,
      address,
      sender,
      amount,
      reference,
    })),
  );
  const inserted = await run(connection, statements.insert, { rows, now });
  // Only a statement that begins later sees what another transaction committed meanwhile.
  const earlier =
    inserted.length === transfers.length
      ? []
      : await run(connection, statements.findByReferences, {
          references: transfers.map(({ reference }) => reference),
        });
  return [...inserted, ...earlier].map((row) => ({ reference: row.reference, transfer: toTransfer(row) }));
}

/** Deletes the heads and the transfers of the chains of one test clock. */
export async function discardChains(tx: Tx, chains: readonly ChainKey[]): Promise<void> {
  await run(tx, testClocks.discardTransfers, { chains });
  await run(tx, testClocks.discardHeads, { chains });
}

export interface Page {
  readonly head: Head;
  /** A committed transfer has no place yet. */
  readonly hasNew: boolean;
  readonly changes: readonly { change: string; transfer: ChainTransfer }[];
}

/**
 * Reads, in one snapshot, the head and the next `limit` changes after `cursor`; null when there is no head
 * yet.
 */
export async function readPage(db: Db, chain: ChainKey, cursor: string, limit: number): Promise<Page | null> {
  const rows = await run(db, statements.findPage, { chain, after: cursor, limit });
  const [first] = rows;
  if (first === undefined) return null;
  // The outer join returns one row without a transfer when there is no change.
  const changes = rows.flatMap(({ change, ...row }) =>
    change === null ? [] : [{ change, transfer: toTransfer(row) }],
  );
  return {
    head: toHead({ height: first.head_height, mined_at: first.mined_at }),
    hasNew: first.has_new,
    changes,
  };
}

/** Returns those of the transfers with these hashes whose latest change is later than `cursor`. */
export async function findReplacements(
  db: Db,
  chain: ChainKey,
  hashes: readonly string[],
  cursor: string,
): Promise<ChainTransfer[]> {
  return (await run(db, statements.findReplacements, { chain, hashes, after: cursor })).map(toTransfer);
}

function toHead(row: HeadRow): Head {
  return { height: Number(row.height), minedAt: row.mined_at };
}

/** Returns the height up to which blocks below a head are final: by depth. */
export function finalHeightOf(chain: ChainKey, head: number): number {
  return head - NETWORKS[networkOf(chain)].confirmations + 1;
}

function toTransfer(row: TransferRow): ChainTransfer {
  const { chain } = row;
  const height = row.block_height === null ? null : Number(row.block_height);
  return {
    network: networkOf(chain),
    txHash: row.tx_hash,
    coin: row.coin,
    address: row.address,
    sender: row.sender,
    amount: row.amount,
    seenAt: row.seen_at,
    block: height === null ? null : { height, hash: blockHash(chain, height) },
    final: height !== null && height <= finalHeightOf(chain, Number(row.head_height)),
    droppedAt: row.dropped_at,
    replacedBy: row.replaced_by,
    // The simulator drops a transfer only for another one.
    reason: row.dropped_at === null ? null : 'replaced',
  };
}
