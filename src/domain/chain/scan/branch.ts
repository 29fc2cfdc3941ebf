import type { NetworkId } from '../networks.ts';
import type { BlockOfTransfer, ChainTransfer } from '../port.ts';
import { claimedBy, claimsOf, isSameMoney } from './claims.ts';
import { blockOnceFinal, EVICTED_AFTER_MS, keyOf, mayChange, NEW, reportOf } from './cursor.ts';
import type { Found, Mined, State, Tracked } from './cursor.ts';

/** Sightings beyond this are not kept: they are an extra, and anybody can send them. */
const MAX_SIGHTINGS = 2_000;
/** And so many of one address: whoever replaces a transaction again and again must not take all of them. */
const MAX_OF_ADDRESS = 20;

/**
 * The branch that is read, from the final block to its tip, and what became of our transfers in it. It asks
 * nobody: each method is one step, and what was changed is reported when the poll ends.
 */
export class Branch {
  readonly #network: NetworkId;
  readonly #now: Date;
  #final: State['final'];
  #blocks: (string | undefined)[];
  #time: number;
  #transfers: Map<string, Tracked>;
  #changed = new Set<string>();

  constructor(network: NetworkId, state: State, now: Date) {
    this.#network = network;
    this.#now = now;
    this.#final = state.final;
    this.#blocks = [...state.blocks];
    this.#time = state.time;
    this.#transfers = new Map(state.transfers.map((one) => [keyOf(one), one]));
  }

  /** Returns a copy, to which to return when a step of several fails. */
  copy(): Branch {
    const whole = this.state(() => true);
    const copy = new Branch(this.#network, whole, this.#now);
    copy.#changed = new Set(this.#changed);
    return copy;
  }

  get final(): State['final'] {
    return this.#final;
  }

  /** The last block that was read. */
  get tip(): { height: number; hash: string | null; time: Date } {
    const height = this.#final.height + this.#blocks.length;
    return { height, hash: this.hashAt(height) ?? null, time: new Date(this.#time) };
  }

  /** Returns the hash of a block; undefined: it is below the final one, above the tip, or not known. */
  hashAt(height: number): string | undefined {
    if (height === this.#final.height) return this.#final.hash ?? undefined;
    return this.#blocks[height - this.#final.height - 1];
  }

  /**
   * Appends a block to the tip, with the transfers to us that are in it. Throws Refused, and changes nothing,
   * where another transaction only claims to come from the account of one of ours.
   */
  extend(block: Mined, found: readonly Found[]): void {
    const used = claimedBy(block, this.#transfers);
    this.#blocks.push(block.hash);
    this.#time = block.time.getTime();
    for (const transfer of found) this.#mine(transfer, block);
    for (const { key, by } of used) {
      const one = this.#transfers.get(key);
      if (one !== undefined && one.block === null) this.#lose(one, { height: block.height, by }, found);
    }
  }

  /** Takes the blocks above an ancestor back: what was in them is in no block. */
  rollBack(ancestor: BlockOfTransfer): void {
    this.#blocks.length = ancestor.height - this.#final.height;
    for (const one of this.#transfers.values()) {
      const isUnripeAbove = (one.unripe?.height ?? 0) > ancestor.height;
      const isLostAbove = one.lost !== null && one.lost.height > ancestor.height;
      if (one.block !== null && one.block.height > ancestor.height)
        this.#set({ ...one, block: null, pooledAt: this.#now.getTime() });
      else if (isUnripeAbove) this.#set({ ...one, unripe: null, pooledAt: this.#now.getTime() }, false);
      else if (isLostAbove) this.#set({ ...one, lost: null }, false);
    }
  }

  /** True for a transfer that may change yet. */
  tracks(transfer: Found): boolean {
    return this.#transfers.has(keyOf(transfer));
  }

  /** Records transfers that the pool holds. */
  sight(found: readonly Found[]): void {
    const at = this.#now.getTime();
    const unmined = [...this.#transfers.values()].filter(({ block }) => block === null);
    for (const transfer of found) {
      const known = this.#transfers.get(keyOf(transfer));
      if (known !== undefined) {
        const { from, nonce, inputs } = transfer;
        if (known.block === null)
          this.#set({ ...known, from, nonce, ...(inputs && { inputs }), pooledAt: at }, false);
        continue;
      }
      if (unmined.length >= MAX_SIGHTINGS) return;
      const { address } = transfer;
      if (unmined.filter((one) => one.address === address).length >= MAX_OF_ADDRESS) continue;
      const sighting = { ...transfer, ...NEW, seenAt: at, block: null, pooledAt: at };
      this.#set(sighting);
      // A wallet's speed-up: the same money, thus never lost, and never counted twice.
      const claims = new Set(claimsOf(transfer));
      for (const one of unmined)
        if (isSameMoney(one, transfer) && claimsOf(one).some((claim) => claims.has(claim)))
          this.#drop(one, { reason: 'replaced', by: transfer.txHash });
      unmined.push(sighting);
    }
  }

  /** Returns the transfers that become final with a height. */
  becomingFinal(height: number): readonly ChainTransfer[] {
    return [...this.#transfers.values()].flatMap((one) => {
      const block = blockOnceFinal(one, height);
      const isFinal = block !== null && block.height <= height;
      return isFinal ? reportOf(this.#network, { ...one, block }, this.#final.height) : [];
    });
  }

  /** Makes the blocks up to a height final. It never falls, and never exceeds the tip. */
  finalize(height: number): void {
    const hash = this.hashAt(height);
    if (height <= this.#final.height || hash === undefined) return;
    this.#blocks.splice(0, height - this.#final.height);
    this.#final = { height, hash };
    for (const one of this.#transfers.values()) {
      const block = blockOnceFinal(one, height);
      if (block !== one.block) this.#set({ ...one, block, unripe: null, pooledAt: null });
      else if (one.lost !== null && one.lost.height <= height && one.dropped === null)
        this.#drop(one, one.lost);
    }
  }

  /** Gives up what no pool and no block has held for long, and what was sought in all blocks in vain. */
  giveUp(isAtHead: boolean): void {
    const now = this.#now.getTime();
    for (const one of this.#transfers.values()) {
      if (one.block !== null || one.dropped !== null || one.unripe) continue;
      if (one.isSought && isAtHead) this.#set({ ...one, isSought: false, pooledAt: now });
      else if (now - (one.pooledAt ?? now) > EVICTED_AFTER_MS && one.lost === null)
        this.#drop(one, { reason: 'evicted', by: null });
    }
  }

  /** Returns what changed, each transfer once. */
  changes(): ChainTransfer[] {
    return [...this.#changed].flatMap((key) => {
      const one = this.#transfers.get(key);
      return one === undefined ? [] : reportOf(this.#network, one, this.#final.height);
    });
  }

  get numberOfChanges(): number {
    return this.#changed.size;
  }

  /** Returns what a later poll needs: of the transfers those that may change yet. */
  state(keeps = (one: Tracked): boolean => mayChange(one, this.#final.height, this.#now)): State {
    return {
      final: this.#final,
      blocks: [...this.#blocks],
      time: this.#time,
      transfers: [...this.#transfers.values()].filter(keeps),
    };
  }

  #mine(transfer: Found, { height, hash, time }: Mined): void {
    const seenAt = Math.min(this.#transfers.get(keyOf(transfer))?.seenAt ?? Infinity, time.getTime());
    const mined = { seenAt, minedAt: time.getTime(), block: { height, hash }, pooledAt: null };
    const unripe = { ...mined, block: null, unripe: mined.block, pooledAt: seenAt };
    this.#set({ ...transfer, ...NEW, ...(transfer.ripensAfter === undefined ? mined : unripe) });
  }

  /** Its number was used: by another transaction, or by its own, which moves nothing to us here. */
  #lose(one: Tracked, { height, by }: { height: number; by: string }, found: readonly Found[]): void {
    const lost =
      by === one.txHash
        ? { height, reason: 'reverted' as const, by: null }
        : { height, reason: 'replaced' as const, by };
    this.#set({ ...one, lost }, false);
    // Other money than this may come back with a reorganisation until the block is final.
    const isSame = found.some((other) => other.txHash === by && isSameMoney(other, one));
    if (isSame && one.dropped === null) this.#drop({ ...one, lost }, lost);
  }

  #drop(one: Tracked, { reason, by }: Pick<NonNullable<Tracked['lost']>, 'reason' | 'by'>): void {
    this.#set({ ...one, dropped: { at: this.#now.getTime(), reason, by } });
  }

  #set(one: Tracked, isChanged = true): void {
    this.#transfers.set(keyOf(one), one);
    if (isChanged) this.#changed.add(keyOf(one));
  }
}
