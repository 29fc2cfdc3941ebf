import type { CoinId } from './coins.ts';
import type { NetworkId } from './networks.ts';

/**
 * Money on its way to, or arrived at, one address. It is told apart by network, transaction, address and coin together: on a real
 * chain one transaction may pay several addresses.
 */
export interface ChainTransfer {
  network: NetworkId;
  txHash: string;
  coin: CoinId;
  address: string;
  /** Decimal string in units of the coin, exact. */
  amount: string;
  /** When the network first saw it; a reorganisation does not change it. */
  seenAt: Date;
  /** Height of the block that holds it; null: it waits in the pool, or it was dropped. */
  blockHeight: number | null;
  /** When it became certain that the transfer will never be mined; null: it stands. */
  droppedAt: Date | null;
  /** The transaction that spent the same money elsewhere, where that is the reason. */
  replacedBy: string | null;
}

/** What one poll answers. */
export interface ChainPage {
  /** Height of the newest block. It never goes down: the branch that wins a reorganisation is at least as long. */
  head: number;
  /** At most one page of the transfers that appeared or changed since the cursor, each once, in its present state. */
  transfers: ChainTransfer[];
  /** Where the next poll goes on; text that only the client understands. */
  cursor: string;
  /**
   * There is another page. Until it is read, a transfer known from earlier may be out of date, so `head` must not confirm
   * anything: the change on the next page may be that its block was reorganised away.
   */
  more: boolean;
}

/**
 * What the service asks of a chain. It knows addresses and transfers, and no payments, so that an indexer or a node can stand
 * where the simulator stands.
 */
export interface ChainClient {
  /** The deposit address of a reference (a payment's id) on a network: derived, the same every time, no I/O. */
  depositAddress(network: NetworkId, reference: string): string;

  /**
   * The head, and the transfers to any of our addresses that appeared or changed since the cursor (null: from the beginning).
   * The answer is states, not happenings: a transfer that was mined, orphaned and mined again between two polls comes once.
   * Polling again with the same cursor is harmless and skips nothing, so a caller stores the cursor with what it made of the view.
   * `now` moves a simulated chain; a real one has a clock of its own.
   */
  poll(network: NetworkId, cursor: string | null, now: Date): Promise<ChainPage>;
}

/** Confirmations of a transfer when the newest block is `head`: 1 in that block itself, 0 in the pool or when dropped. */
export function confirmations(transfer: Pick<ChainTransfer, 'blockHeight'>, head: number): number {
  return transfer.blockHeight === null ? 0 : Math.max(0, head - transfer.blockHeight + 1);
}
