import type { Context } from '../../platform/context.ts';
import type { Connection, Tx } from '../../platform/postgres/db.ts';
import type { CoinId } from './coins.ts';
import type { NetworkId } from './networks.ts';

/**
 * Money on its way to, or arrived at, one address. Network, transaction, address and coin together identify it: on a real chain one
 * transaction may pay several addresses.
 */
export interface ChainTransfer {
  readonly network: NetworkId;
  readonly txHash: string;
  readonly coin: CoinId;
  readonly address: string;
  /** Decimal string in units of the coin, exact. */
  readonly amount: string;
  /** When the network first saw it; a reorganisation does not change it. */
  readonly seenAt: Date;
  /** Height of the block that holds it; null: it waits in the pool, or it was dropped. */
  readonly blockHeight: number | null;
  /** When it became certain that the transfer will never be mined; null: it stands. */
  readonly droppedAt: Date | null;
  /** The transaction that spent the same money elsewhere, where that is the reason. */
  readonly replacedBy: string | null;
}

/** What one poll returns. */
export interface ChainPage {
  /** Height of the newest block. It never goes down: the branch that wins a reorganisation is at least as long. */
  readonly head: number;
  /** At most one page of the transfers that appeared or changed since the cursor, each once, in its present state. */
  readonly transfers: readonly ChainTransfer[];
  /** Where the next poll continues; text that only the client understands. */
  readonly cursor: string;
  /**
   * There is another page. Until it is read, a transfer known from earlier may be out of date, so `head` must not confirm anything:
   * the change on the next page may be that its block was reorganised away.
   */
  readonly more: boolean;
}

/**
 * What the service needs of a chain. A client knows addresses and transfers, and no payments, so that an indexer or a node serves as
 * well as the simulator does.
 */
export interface ChainClient {
  /** The deposit address of a reference (a payment's id) on a network: derived, the same every time, no I/O. */
  depositAddress(network: NetworkId, reference: string): string;

  /**
   * The head, and the transfers to any of our addresses that appeared or changed since the cursor (null: from the beginning). A poll
   * returns states, not changes: a transfer that was mined, orphaned and mined again between two polls comes once. Polling again with
   * the same cursor is harmless and skips nothing, so a caller stores the cursor with what it made of the page. `now` moves a
   * simulated chain; a real one has a clock of its own.
   */
  poll(network: NetworkId, cursor: string | null, now: Date): Promise<ChainPage>;

  /** When the block that lies `blocks` above the newest will be mined; null where that cannot be known in advance. */
  timeOfBlock(network: NetworkId, blocks: number): Promise<Date | null>;
}

/** A transfer to send on a test chain. The same `reference` is sent only once; without one each call sends another transfer. */
export interface Sending {
  readonly network: NetworkId;
  readonly coin: CoinId;
  readonly address: string;
  /** Decimal string above zero, in units of the coin. */
  readonly amount: string;
  readonly reference?: string;
}

/** A chain that test merchants control, beside what every chain does. */
export interface TestChain extends ChainClient {
  /**
   * Puts transfers into the pool, in one statement, in the caller's transaction or on its own; pollers see them once that commits.
   * Returns one transfer for each one given, in that order; for a reference that was used before, the transfer sent then, as it is
   * now. Throws RangeError, and sends nothing, for a coin that does not exist on its network or an amount that is not above zero.
   */
  send(connection: Connection, sendings: readonly Sending[], now: Date): Promise<ChainTransfer[]>;

  /**
   * Spends the money of a transfer elsewhere: it is dropped, and `replacedBy` is a transaction that pays somebody else. A mined
   * transfer leaves its block, as if the branch with the other transaction had won. One that was dropped before does not change.
   * Returns the transfer as it is then, or null for an unknown hash. In the caller's transaction, where one is given.
   */
  replace(txHash: string, now: Date, tx?: Tx): Promise<ChainTransfer | null>;

  /**
   * Replaces the newest `depth` blocks by an equally long branch without our transfers: what they held goes back to the pool and
   * into later blocks. The head keeps its height, so that no poller sees it go down. Returns how many transfers went back.
   */
  reorganise(network: NetworkId, depth: number, now: Date): Promise<number>;

  /** Mines `blocks` at once, beyond those that are due; the first takes all that was sent until now. Returns the new height. */
  mine(network: NetworkId, blocks: number, now: Date): Promise<number>;

  /**
   * Moves an address and its transfers from the shared chain of a network to the one of a test clock, which begins with the shared
   * head. Nothing changes for other addresses, and nothing about the transfers but where they are.
   */
  isolate(tx: Tx, moved: { network: NetworkId; address: string; testClock: string }): Promise<void>;

  /** Removes what the chains of a test clock hold. */
  discard(tx: Tx, testClock: string): Promise<void>;
}

/** The chain that a context works on: the shared one, or that of its test clock. */
export type ChainOf<Chain extends ChainClient = ChainClient> = (
  ctx: Pick<Context, 'db' | 'config' | 'testClock'>,
) => Chain;

/** US dollars per coin. */
export type Rates = Readonly<Record<CoinId, string>>;

/** Reads the market; call it outside any transaction. */
export type RateSource = () => Promise<Rates>;

/** Money that leaves the service. Sending twice with one reference sends once. */
export interface Payouts {
  send(payout: {
    reference: string;
    amount: string;
    currency: string;
    network: string;
    /** Null: back to where the customer's money came from. */
    address: string | null;
  }): Promise<{ txHash: string }>;
}
