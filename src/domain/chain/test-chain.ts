import type { Connection, Tx } from '../../platform/postgres/db.ts';
import type { CoinId } from './coins.ts';
import type { NetworkId } from './networks.ts';
import type { ChainClient, ChainTransfer } from './port.ts';
import type { Deposit } from './wallets/address-book.ts';

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
  /** Derives a deposit address: always the same, without I/O. */
  derive(network: NetworkId, deposit: Deposit): string;

  /**
   * Returns when the block that many above the head will be mined; null when the chain has no head yet.
   */
  blockTimes(network: NetworkId): Promise<((blocks: number) => Date) | null>;

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
