/** A model of two simulated networks: a head is a height and a time, and each transfer has one block. */

export type Network = 'ethereum' | 'tron';
export const NETWORKS: readonly Network[] = ['ethereum', 'tron'];

const BLOCK_MS: Record<Network, number> = { ethereum: 12_000, tron: 3_000 };
export const CONFIRMATIONS: Record<Network, number> = { ethereum: 12, tron: 20 };

/** Money in cents of the settlement coin: both coins of the model are worth the same. */
export interface Sent {
  readonly network: Network;
  readonly cents: number;
  readonly at: number;
  /** Height of the block that holds it, or that will. */
  block: number;
  isDropped: boolean;
  /** As of the latest sync of its network. */
  isConfirmed: boolean;
}

export class ModelChain {
  readonly #network: Network;
  #head: { height: number; at: number } | null = null;

  constructor(network: Network) {
    this.#network = network;
  }

  /** The chain begins at its first sync. */
  begin(now: number): void {
    this.#head ??= { height: 0, at: now };
  }

  height(now: number): number {
    if (this.#head === null) return 0;
    return this.#head.height + Math.floor((now - this.#head.at) / BLOCK_MS[this.#network]);
  }

  mine(blocks: number, now: number): void {
    this.#head = { height: this.height(now) + blocks, at: now };
  }

  isMined(sent: Sent, now: number): boolean {
    return !sent.isDropped && sent.block <= this.height(now);
  }

  hasConfirmed(sent: Sent, now: number): boolean {
    return !sent.isDropped && sent.block + CONFIRMATIONS[this.#network] - 1 <= this.height(now);
  }

  confirmedAt(sent: Sent): number {
    if (this.#head === null) throw new Error('nothing confirms before the chain begins');
    const blocks = sent.block + CONFIRMATIONS[this.#network] - 1 - this.#head.height;
    return this.#head.at + blocks * BLOCK_MS[this.#network];
  }
}
