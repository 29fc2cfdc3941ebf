import { NETWORKS, type Network } from './coins.ts';
import type { Sent } from './transfers.ts';

/** A model of simulated networks: a head is a height and a time, and each transfer has one block. */

const BLOCK_MS: Readonly<Record<Network, number>> = {
  bitcoin: 600_000,
  ethereum: 12_000,
  polygon: 2_000,
  tron: 3_000,
};
/** How long an unmined transfer holds rate and deadline. */
export const HOLD_MS: Readonly<Record<Network, number>> = {
  bitcoin: 10_800_000,
  ethereum: 1_800_000,
  polygon: 1_800_000,
  tron: 1_800_000,
};
export const CONFIRMATIONS: Readonly<Record<Network, number>> = {
  bitcoin: 2,
  ethereum: 12,
  polygon: 16,
  tron: 20,
};

/**
 * When the chain of a network begins, in milliseconds since the payment's creation: each on a millisecond of
 * its own, so that its blocks coincide with no deadline, no step and no other chain's blocks by chance.
 */
export const CHAIN_BEGINS: Readonly<Record<Network, number>> = {
  bitcoin: -101,
  ethereum: -102,
  polygon: -103,
  tron: -104,
};

export class ModelChain {
  readonly #network: Network;
  readonly #blockMs: number;
  #head: { height: number; at: number };

  constructor(network: Network, blockMs: number | null) {
    this.#network = network;
    this.#blockMs = blockMs ?? BLOCK_MS[network];
    this.#head = { height: 0, at: CHAIN_BEGINS[network] };
  }

  height(now: number): number {
    return this.#head.height + Math.floor((now - this.#head.at) / this.#blockMs);
  }

  mine(blocks: number, now: number): void {
    this.#head = { height: this.height(now) + blocks, at: now };
  }

  isMined(sent: Sent, now: number): boolean {
    return !sent.isDropped && sent.block <= this.height(now);
  }

  hasConfirmed(sent: Sent, now: number): boolean {
    return !sent.isDropped && this.#confirmingBlock(sent) <= this.height(now);
  }

  minedAt(sent: Sent): number {
    return this.#timeOf(sent.block);
  }

  confirmedAt(sent: Sent): number {
    return this.#timeOf(this.#confirmingBlock(sent));
  }

  #timeOf(block: number): number {
    return this.#head.at + (block - this.#head.height) * this.#blockMs;
  }

  #confirmingBlock(sent: Sent): number {
    return sent.block + CONFIRMATIONS[this.#network] - 1;
  }
}

/** `blockMs`: of every network; null: each has its own. */
export function modelChains(blockMs: number | null): Record<Network, ModelChain> {
  const entries = NETWORKS.map((network) => [network, new ModelChain(network, blockMs)] as const);
  return Object.fromEntries(entries) as Record<Network, ModelChain>;
}
