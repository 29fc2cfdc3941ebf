import type { BlockOfTransfer, ChainTransfer, DropReason } from '../port.ts';
import type { NetworkId } from '../networks.ts';
import type { CoinId } from '../coins.ts';

/** A transfer to one of our addresses, as a transaction moves it. */
export interface Found {
  readonly txHash: string;
  readonly coin: CoinId;
  readonly address: string;
  readonly sender: string | null;
  readonly amount: string;
  /** Who sends the transaction, and its number among theirs: one of a number is mined. Null: not known. */
  readonly from: string | null;
  readonly nonce: number | null;
  /** On Bitcoin: the outputs that the transaction spends, each of which one transaction spends. */
  readonly inputs?: readonly string[];
  /** Its block is its only source, and nobody can spend it before so many blocks; absent: at once. */
  readonly ripensAfter?: number;
}

/** What a block has that decides about transfers. */
export interface Mined extends BlockOfTransfer {
  readonly time: Date;
  /** Returns which of its transactions have claims, by the claim. Throws Refused where one only says so. */
  readonly claimants: (claims: ReadonlySet<string>) => ReadonlyMap<string, string>;
}

/** A transfer that may change yet: it is in no block, or in one above the final height. */
export interface Tracked extends Found {
  readonly seenAt: number;
  readonly block: BlockOfTransfer | null;
  /** The time of its last block; absent: an earlier release read it. */
  readonly minedAt?: number | null;
  /** When it was last known to be in the pool, or left its block; null: it is mined. */
  readonly pooledAt: number | null;
  /** The block in which another transaction has its number, or itself moves nothing. */
  readonly lost: { readonly height: number; readonly reason: DropReason; readonly by: string | null } | null;
  /** Reported as dropped, though a reorganisation may bring it back. */
  readonly dropped: { readonly at: number; readonly reason: DropReason; readonly by: string | null } | null;
  /** It was in a block that is read again, and was not found there yet. */
  readonly isSought: boolean;
  /** The block that it is in, while nobody can spend it: it is reported as unmined until then. */
  readonly unripe?: BlockOfTransfer | null;
}

/** What a client knows of a chain. */
export interface State {
  readonly final: { readonly height: number; readonly hash: string | null };
  /** The hashes of the blocks above the final one, in their order; undefined: it was not kept. */
  readonly blocks: readonly (string | undefined)[];
  /** The time of the last of them. */
  readonly time: number;
  readonly transfers: readonly Tracked[];
}

/** A transaction that is in no block for this long was forgotten by the pools: nodes keep one for hours. */
export const EVICTED_AFTER_MS = 24 * 3_600_000;

/** The state of a transfer of which nothing bad is known. */
export const NEW = { lost: null, dropped: null, isSought: false, unripe: null } as const;

/** What identifies a transfer. */
export const keyOf = ({ txHash, coin, address }: Pick<Found, 'txHash' | 'coin' | 'address'>): string =>
  `${txHash} ${coin} ${address}`;

/** True while a later block can change what was reported of a transfer. */
export function mayChange(
  { block, lost, dropped, pooledAt }: Tracked,
  finalHeight: number,
  now: Date,
): boolean {
  if (block !== null) return block.height > finalHeight;
  if (dropped === null) return true;
  if (lost !== null) return lost.height > finalHeight;
  return dropped.reason === 'replaced' && now.getTime() - (pooledAt ?? 0) <= EVICTED_AFTER_MS;
}

/** Returns the block that a transfer is in once a height is final: of one that ripens with it, too. */
export function blockOnceFinal({ block, unripe, ripensAfter = 0 }: Tracked, height: number) {
  return unripe && unripe.height + ripensAfter <= height ? unripe : block;
}

/** Returns a transfer as the port reports it. */
export function reportOf(network: NetworkId, one: Tracked, finalHeight: number): ChainTransfer {
  const { txHash, coin, address, sender, amount, block, dropped, minedAt } = one;
  return {
    network,
    txHash,
    coin,
    address,
    sender,
    amount,
    seenAt: new Date(one.seenAt),
    minedAt: block === null || typeof minedAt !== 'number' ? null : new Date(minedAt),
    block,
    final: block !== null && block.height <= finalHeight,
    droppedAt: dropped === null ? null : new Date(dropped.at),
    replacedBy: dropped?.by ?? null,
    reason: dropped?.reason ?? null,
  };
}

const VERSION = 1;

/** Returns a state as the caller stores it. */
export function writeCursor(state: State): string {
  const blocks = state.blocks.map((hash, i) => (isKept(state, i) ? (hash ?? NOT_KEPT) : NOT_KEPT));
  return JSON.stringify({ version: VERSION, ...state, blocks });
}

const NOT_KEPT = '';
/** The hashes of so many of the newest blocks are kept, and of those below one in so many. */
const ALL_KEPT = 256;
const KEPT_EVERY = 64;

/** A chain that is final after a quarter of an hour may have thousands of blocks above, at each poll. */
const isKept = ({ final, blocks }: State, i: number): boolean =>
  i >= blocks.length - ALL_KEPT || (final.height + 1 + i) % KEPT_EVERY === 0;

/** Returns the state of a cursor; a number is a height above which everything is read again. */
export function readCursor(cursor: string): State | number {
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor);
  const { version, ...state } = JSON.parse(cursor) as State & { version: number };
  if (version !== VERSION)
    throw new Error(`the chain cursor has version ${version}, not ${VERSION}: read again from a height`);
  return { ...state, blocks: state.blocks.map((hash) => (hash === NOT_KEPT ? undefined : hash)) };
}

/** Returns the state from which everything above a height is read again. */
export function stateAbove(height: number, standing: readonly ChainTransfer[]): State {
  return {
    final: { height, hash: null },
    blocks: [],
    time: 0,
    transfers: standing.map((transfer) => ({
      txHash: transfer.txHash,
      coin: transfer.coin,
      address: transfer.address,
      sender: transfer.sender,
      amount: transfer.amount,
      from: null,
      nonce: null,
      seenAt: transfer.seenAt.getTime(),
      block: null,
      pooledAt: transfer.seenAt.getTime(),
      lost: null,
      dropped: null,
      isSought: transfer.block !== null,
    })),
  };
}
