import type { BlockOfTransfer, ChainTransfer } from '../port.ts';
import { demand } from '../rpc/refused.ts';
import type { Branch } from './branch.ts';

/** Asks for a second opinion about the blocks that large transfers are in. */
export interface Quorum {
  /** Returns the transfers that one provider alone cannot make final. */
  needed(transfers: readonly ChainTransfer[]): Promise<readonly ChainTransfer[]>;
  /**
   * True when a provider of another host has a block of this hash at the height; null: there are such
   * providers, and none of them answers now.
   */
  agrees(block: { height: number; hash: string }): Promise<boolean | null>;
}

/**
 * Makes final what a provider names, as far as it was read. Throws Refused where a named block is on another
 * branch than the one that was read. Where a second provider must agree and does not, final ends below the
 * transfers that need it.
 */
export async function finalize(
  branch: Branch,
  { final, named }: { final: number; named: readonly BlockOfTransfer[] },
  quorum: Quorum,
): Promise<void> {
  for (const { height, hash } of named) {
    const known = branch.hashAt(height);
    demand(
      known === undefined || known === hash,
      `block ${height} is named final or safe, and is on another branch`,
    );
  }
  const height = Math.min(final, branch.tip.height);
  const hash = branch.hashAt(height);
  if (hash === undefined || height <= branch.final.height) return;
  const large = await quorum.needed(branch.becomingFinal(height));
  const lowest = Math.min(...large.map(({ block }) => block?.height ?? height));
  const isAgreed = large.length === 0 || (await quorum.agrees({ height, hash })) === true;
  branch.finalize(isAgreed ? height : lowest - 1);
}
