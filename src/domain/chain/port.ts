import type { Context } from '../../platform/context.ts';
import type { Connection, Tx } from '../../platform/postgres/db.ts';
import type { CoinId } from './coins.ts';
import type { CurrencyId } from './currencies.ts';
import type { NetworkId } from './networks.ts';

/**
 * A transfer to one address, in the pool or mined. Network, transaction, address and coin together identify
 * it: on a real chain one transaction may pay several addresses.
 */
export interface ChainTransfer {
  readonly network: NetworkId;
  readonly txHash: string;
  readonly coin: CoinId;
  readonly address: string;
  /** The address that it came from; null: the chain does not name one, for example with several inputs. */
  readonly sender: string | null;
  /** Decimal string in units of the coin, exact. */
  readonly amount: string;
  /** When the network first saw the transfer; a reorganisation does not change it. */
  readonly seenAt: Date;
  /** Height of the block that contains it; null: it is in the pool, or was dropped. */
  readonly blockHeight: number | null;
  /** When it became certain that the transfer will never be mined; null: it is valid. */
  readonly droppedAt: Date | null;
  /**
   * The transaction that spent the same money, when that is the reason for the drop: elsewhere, or to the
   * same address (a wallet's "speed up"). Then it is a transfer too.
   */
  readonly replacedBy: string | null;
}

/** What one poll returns. */
export interface ChainPage {
  /** Height of the newest block. */
  readonly head: number;
  /**
   * Blocks at this height or below are final: what they hold is confirmed once everything up to the head is
   * read. By depth it follows from the head; a network with checkpoints says it itself.
   */
  readonly finalHeight: number;
  /**
   * At most one page of the transfers that are new or changed since the cursor, each once, in its current
   * state.
   */
  readonly transfers: readonly ChainTransfer[];
  /** Where the next poll continues; opaque to the caller. */
  readonly cursor: string;
  /**
   * What to do next. `more`: there is another page; until it is read, known transfers may be out of date, and
   * nothing is confirmed: it may report that a block was reorganised away. `head`: all is read. Else the
   * client cannot go on at once; what the page has is applied, and confirms nothing.
   */
  readonly next: 'more' | 'head' | Wait;
}

/** Why a client cannot read up to the head now, and when to ask it again. */
export interface Wait {
  readonly waitSeconds: number;
  readonly why: 'behind' | 'forked' | 'inconsistent';
}

/** Tells a client which addresses are the service's own: one query for all of a block. */
export interface Watch {
  /** Returns those of the addresses that payments have; must be called outside any transaction. */
  own(network: NetworkId, addresses: readonly string[]): Promise<ReadonlySet<string>>;
}

/**
 * What the service needs of a chain. A client knows addresses and transfers, but no payments: an indexer or a
 * node can implement it as well as the simulator.
 */
export interface ChainClient {
  /**
   * Derives the deposit address of a reference (a payment's id) on a network: always the same, without I/O.
   */
  depositAddress(network: NetworkId, reference: string): string;

  /**
   * Returns the head, and the transfers to our addresses that are new or changed since the cursor (null: from
   * the beginning). A poll returns states, not changes: a transfer that was mined, orphaned and mined again
   * between two polls is returned once. A transfer that is dropped for one to the same address is returned
   * with that one in the same page or, when it becomes known later, after it: alone it would look lost.
   * Polling again with the same cursor is safe and skips nothing, so a caller stores the cursor in the
   * transaction that applies the page. `now` advances a simulated chain; a real one has its own clock.
   */
  poll(network: NetworkId, cursor: string | null, watch: Watch, now: Date): Promise<ChainPage>;

  /**
   * Returns the transfers of a transaction, to any address; none: the network does not know it. Null: the
   * client cannot look a transaction up.
   */
  find(network: NetworkId, txHash: string): Promise<readonly ChainTransfer[] | null>;

  /**
   * Returns when the block that many above the head will be mined; null when that cannot be known in advance.
   */
  blockTimes(network: NetworkId): Promise<((blocks: number) => Date) | null>;
}

/**
 * A transfer to send on a test chain. A `reference` is sent only once; without one each call sends a
 * transfer.
 */
export interface TransferRequest {
  readonly network: NetworkId;
  readonly coin: CoinId;
  readonly address: string;
  /** Decimal string above zero, in units of the coin, with at most the coin's decimals. */
  readonly amount: string;
  /** Default: the wallet of the simulated customer, one for each deposit address. Null: no one sender. */
  readonly sender?: string | null;
  readonly reference?: string;
}

/** A chain that test merchants control. */
export interface TestChain extends ChainClient {
  /**
   * Puts transfers into the pool, in one statement, in the caller's transaction or its own; pollers see them
   * once that commits. Returns one transfer per request, in the same order; for a reference that was used
   * before, the transfer that was sent then, in its current state. Throws RangeError, and sends nothing, when
   * a coin does not exist on its network, or an amount is not above zero or has more decimals than the coin.
   */
  send(connection: Connection, requests: readonly TransferRequest[], now: Date): Promise<ChainTransfer[]>;

  /**
   * Double-spends a transfer: it is dropped, and `replacedBy` is the transaction that spends its money. A
   * mined transfer leaves its block, as if the branch with the other transaction had won. A transfer that was
   * dropped before does not change. Returns the transfer in its new state, or null for an unknown hash. Runs
   * in the caller's transaction when one is given.
   */
  replace(txHash: string, now: Date, tx?: Tx): Promise<ChainTransfer | null>;

  /**
   * Replaces a transfer by one that pays the same address, as a wallet's "speed up" does with a higher fee:
   * a new transfer with the same coin, amount and sender is in the pool at `now`, and the old one is dropped,
   * as by `replace`; `replacedBy` is the new one's hash. Pollers see the drop together with the new transfer.
   * A transfer that was dropped before does not change, and nothing is sent. Returns the old transfer in its
   * new state, or null for an unknown hash. Runs in the caller's transaction when one is given.
   */
  speedUp(txHash: string, now: Date, tx?: Tx): Promise<ChainTransfer | null>;

  /**
   * Replaces the newest `depth` blocks by an equally long branch without our transfers, which return to the
   * pool and are mined into later blocks. The head keeps its height, so no poller sees it decrease. Returns
   * how many transfers returned to the pool.
   */
  reorganise(network: NetworkId, depth: number, now: Date): Promise<number>;

  /**
   * Mines `blocks` more than are due; the first contains all transfers sent until now. Returns the new
   * height.
   */
  mine(network: NetworkId, blocks: number, now: Date): Promise<number>;

  /**
   * Moves an address and its transfers from the shared chain of a network to that of a test clock, which
   * begins at the shared head. The transfers and all other addresses stay unchanged.
   */
  isolate(tx: Tx, moved: { network: NetworkId; address: string; testClock: string }): Promise<void>;

  /** Deletes the chains of a test clock and their transfers. */
  discard(tx: Tx, testClock: string): Promise<void>;
}

/** Returns the chain of a context: the shared one, or that of its test clock. */
export type ChainOf<Chain extends ChainClient = ChainClient> = (
  ctx: Pick<Context, 'db' | 'config' | 'testClock'>,
) => Chain;

/** US dollars per coin. */
export type Rates = Readonly<Record<CoinId, string>>;

/** Reads the market rates; must be called outside any transaction. */
export type RateSource = () => Promise<Rates>;

/** By which prices are converted for display only, in US dollars: per coin, and per unit of a currency. */
export interface DisplayRates {
  readonly coins: Rates;
  readonly currencies: Readonly<Record<CurrencyId, string>>;
}

/**
 * Reads the rates for display. Its caller waits for at most a second, keeps them for a minute, and shows no
 * such price where they are not to be had.
 */
export type DisplayRateSource = () => Promise<DisplayRates>;

/** Sends money out of the service. Idempotent: a reference is paid out once. */
export interface Payouts {
  send(payout: {
    reference: string;
    /** Decimal string in units of `currency`, with at most its decimals on `network`. */
    amount: string;
    currency: CoinId;
    network: NetworkId;
    address: string;
  }): Promise<{ txHash: string }>;
}
