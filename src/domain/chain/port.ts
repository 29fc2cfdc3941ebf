import type { Context } from '../../platform/context.ts';
import type { CoinId } from './coins.ts';
import type { NetworkId } from './networks.ts';

/** The block that contains a transfer. Two branches have blocks of one height; the hash tells them apart. */
export interface BlockOfTransfer {
  readonly height: number;
  readonly hash: string;
}

/**
 * Why a transfer moves no money. `replaced`: another transaction spent the same money. `reverted`: its
 * transaction moves nothing in the branch that holds it now. `evicted`: the pool forgot it for good.
 */
export type DropReason = 'replaced' | 'reverted' | 'evicted';

/**
 * A transfer to one address, in the pool or mined. Network, transaction, address and coin together identify
 * it: on a real chain one transaction may pay several addresses, and one address by several logs, which are
 * one transfer of their sum.
 */
export interface ChainTransfer {
  readonly network: NetworkId;
  /** Of money that only a balance tells of what `foundAt` returns. */
  readonly txHash: string;
  readonly coin: CoinId;
  /** In the form in which deposit addresses are derived: on EVM networks in lower case. */
  readonly address: string;
  /** The address that it came from; null: the chain does not name one, for example with several inputs. */
  readonly sender: string | null;
  /**
   * Decimal string in units of the coin, exact and above zero: a client leaves out transfers of nothing. In
   * another branch the same transaction may move another amount: that is new money, and the old is lost.
   */
  readonly amount: string;
  /**
   * The earlier of its first sighting and the time of its block: nobody is late because nobody looked. A
   * reorganisation does not change it.
   */
  readonly seenAt: Date;
  /** The time of its block, where the client says it. */
  readonly minedAt?: Date | null;
  /** Null: it is in the pool, or was dropped. */
  readonly block: BlockOfTransfer | null;
  /** No reorganisation takes its block back; it becomes so without being reported again. */
  readonly final: boolean;
  /** When it became certain that the transfer will never be mined; null: it is valid. */
  readonly droppedAt: Date | null;
  /**
   * The transaction that spent the same money, when that is the reason for the drop: elsewhere, or to the
   * same address (a wallet's "speed up"). Then it is a transfer too.
   */
  readonly replacedBy: string | null;
  /** Why it was dropped; null: it is valid. */
  readonly reason: DropReason | null;
}

/** What one poll returns. */
export interface ChainPage {
  /** The newest block. */
  readonly head: BlockOfTransfer & { readonly time: Date };
  /**
   * Blocks at this height or below are final. By depth it follows from the head; a network with checkpoints
   * says it itself. It never exceeds what the client has read and linked by hashes up to here.
   */
  readonly finalHeight: number;
  /** Blocks up to here are safe, for small amounts: between final height and head, or the final height. */
  readonly safeHeight: number;
  /** The transactions that wait for a second provider: no depth confirms them. Absent: none. */
  readonly unsure?: readonly string[];
  /**
   * At most one page of the transfers that are new or changed since the cursor, each once, in its current
   * state.
   */
  readonly transfers: readonly ChainTransfer[];
  /** Where the next poll continues; opaque to the caller. */
  readonly cursor: string;
  /**
   * Everything that the chain had before this time has been reported, by this page or an earlier one: it is
   * the time of the last block that was read. Null: this page does not move it. No deadline passes before it.
   */
  readonly scannedUntil: Date | null;
  /**
   * What to do next. `more`: there is another page; until it is read, known transfers may be out of date, and
   * nothing is confirmed: it may report that a block was reorganised away. `head`: all is read. Else the
   * client cannot go on at once; what the page has is applied, and confirms nothing.
   */
  readonly next: 'more' | 'head' | Wait;
  /** The providers of the client, as the last requests to them went; none: it has no need of any. */
  readonly providers: readonly Provider[];
}

/** Why a client cannot read up to the head now. */
export interface Wait {
  readonly waitSeconds: number;
  readonly why: 'behind' | 'forked' | 'inconsistent';
}

/** How a provider does; nothing here is secret. */
export interface Provider {
  /** Number and host, without path, query and credentials: `1 rpc.example.com`. */
  readonly name: string;
  readonly ok: boolean;
  /** Blocks behind the highest head that any provider has named; null: it has not said. */
  readonly lag: number | null;
  readonly lacks?: 'traces';
}

/** The addresses that concern the service, among those that a client asked for. */
export interface Owned extends Pick<ReadonlySet<string>, 'has' | 'size'> {
  /** False for a transfer to one of them that does not concern it; absent: all do. */
  takes?(transfer: Pick<ChainTransfer, 'txHash' | 'coin' | 'address' | 'amount'>): boolean;
}

/** Tells a client what the service knows: one query for all of a block, outside any transaction. */
export interface Watch {
  /** Returns those of the addresses that payments have, or to which a refund waits to be paid. */
  own(network: NetworkId, addresses: readonly string[]): Promise<Owned>;
  /**
   * Returns the transfers in the pool or above a height, as reported and not dropped: what a fork moves.
   */
  standing(network: NetworkId, aboveHeight: number): Promise<readonly ChainTransfer[]>;
  /** Returns those of which a transfer stands in a block at a height or below. */
  mined(network: NetworkId, txHashes: readonly string[], height: number): Promise<ReadonlySet<string>>;
}

/** What became of a transaction; `unknown`: it is in no block and no pool. */
export interface Outcome {
  readonly state: 'unknown' | 'unmined' | 'reverted' | 'mined';
  /** What it moves, to any address; before it is mined what it would, as far as that is known. */
  readonly transfers: readonly ChainTransfer[];
  /** Its sender, and its number among theirs, of which one is mined, by its signature; absent: unknown. */
  readonly number?: { readonly sender: string; readonly nonce: number };
}

export type Holding = Pick<ChainTransfer, 'address' | 'coin'>;
/** An amount of a coin at an address. */
export interface Balance extends Holding, Pick<ChainTransfer, 'amount'> {
  /** By its block, or by two providers; else it is the word of one, and makes no money. */
  readonly isProven: boolean;
}

/** What addresses hold after a block that is final. */
export type Balances = { readonly block: ChainPage['head']; readonly balances: readonly Balance[] };

/**
 * A client found what must not be: a reorganisation below the final height, or another chain at its provider.
 * Nothing of its network is read or confirmed until an operator resumes it. The message has no secrets.
 */
export class ChainHalted extends Error {
  override readonly name = 'ChainHalted';
}

/** What the service needs of a chain. A client knows addresses and transfers, but no payments. */
export interface ChainClient {
  /**
   * Returns the head, and the transfers to our addresses that are new or changed since the cursor (null: a
   * simulated chain begins with its first block, a real one at its final height). A poll returns states, not
   * changes: a transfer that was mined, orphaned and mined again between two polls is returned once. A
   * transfer that is dropped for one to the same address is returned with that one in the same page or, when
   * it becomes known later, after it: alone it would look lost. Polling again with the same cursor is safe
   * and skips nothing, so a caller stores the cursor in the transaction that applies the page. For a real
   * chain a cursor may also be a height in decimal: what is above it is read again, and what `standing` has
   * there and is not found any more is reported as well. `now` advances a simulated chain; a real one has its
   * own clock. Throws ChainHalted, and any other error where the poll is to be tried again.
   */
  poll(network: NetworkId, cursor: string | null, watch: Watch, now: Date): Promise<ChainPage>;
  /** Returns what became of a transaction. Null: it cannot tell, as web of a real network cannot. */
  find(network: NetworkId, txHash: string): Promise<Outcome | null>;
  /**
   * Returns what addresses hold after the final block of the last poll or, with `notAfter`, after one soon
   * before that time, for the balance audit. Null: no provider can tell. Absent: the client cannot.
   */
  balances?(network: NetworkId, asked: readonly Holding[], notAfter: Date | null): Promise<Balances | null>;
  /** Returns the transfers of a token to an address since a time, up to the final block of the last poll. */
  received?(network: NetworkId, holding: Holding, since: Date): Promise<readonly ChainTransfer[]>;
}

type OfContext<Chain> = (ctx: Pick<Context, 'db' | 'config' | 'testClock'>) => Chain;
/** Returns the shared chain, or that of its test clock. */
export type ChainOf<Chain extends ChainClient = ChainClient> = OfContext<Chain>;

/** What a refund sends. */
export interface Payout {
  readonly reference: string;
  /** Decimal string in units of `currency`, with at most its decimals on `network`. */
  readonly amount: string;
  readonly currency: CoinId;
  readonly network: NetworkId;
  readonly address: string;
}

/**
 * Asks for money to be sent out; a reference is paid out once. `accepted`: a final transfer on the chain will
 * complete the refund, and nothing else does. A simulated payout is complete at once.
 */
export interface Payouts {
  request(payout: Payout): Promise<'accepted' | { readonly txHash: string }>;
}
