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
  /** The last block of which one has said so, for `waitingForOthers`. */
  readonly agreed: { hash: string | null };
}

/** Who is asked before blocks become final: the provider of a poll, and those of other hosts. */
export interface Judges {
  readonly quorum: Quorum;
  headerAt(height: number): Promise<Pick<BlockOfTransfer, 'hash'> | null>;
}

/**
 * Makes final what a provider names, as far as it was read. Throws Refused where a named block is on another
 * branch than the one that was read. Where a second provider must agree and does not, final ends below the
 * transfers that need it.
 */
export async function finalize(
  branch: Branch,
  { final, named }: { final: number; named: readonly BlockOfTransfer[] },
  judges: Judges,
): Promise<void> {
  for (const { height, hash } of named) {
    const known = branch.hashAt(height);
    demand(
      known === undefined || known === hash,
      `block ${height} is named final or safe, and is on another branch`,
    );
  }
  const most = Math.min(final, branch.tip.height);
  const height = knownUpTo(branch, most);
  const hash = branch.hashAt(height);
  if (hash === undefined || height <= branch.final.height) return;
  if (height < most)
    demand(
      (await judges.headerAt(height))?.hash === hash,
      `block ${height} below the one that is named final is on another branch`,
    );
  const large = await judges.quorum.needed(branch.becomingFinal(height));
  const lowest = Math.min(...large.map(({ block }) => block?.height ?? height));
  const isAgreed = large.length === 0 || (await judges.quorum.agrees({ height, hash })) === true;
  branch.finalize(isAgreed ? height : knownUpTo(branch, lowest - 1));
}

/**
 * Returns the transactions above the final block that one provider alone cannot confirm, whatever their depth
 * and whatever the network calls safe. A block that another one has as well commits to all that is below it:
 * the highest is asked for first, and where it is not there, halves of the others.
 */
export async function waitingForOthers(branch: Branch, quorum: Quorum): Promise<string[]> {
  const all = branch.becomingFinal(branch.tip.height);
  const large = await quorum.needed(all.filter(({ final }) => !final));
  const hashes = new Map(large.flatMap(({ block }) => (block === null ? [] : [[block.height, block.hash]])));
  const blocks = [...hashes].toSorted(([a], [b]) => a - b).map(([height, hash]) => ({ height, hash }));
  let sure = blocks.findIndex(({ hash }) => hash === quorum.agreed.hash) + 1;
  let open = blocks.length;
  for (let at = open - 1; sure < open; at = Math.floor((sure + open) / 2)) {
    const block = blocks[at];
    const said = block === undefined ? null : await quorum.agrees(block);
    if (said === null) break;
    if (said) sure = at + 1;
    else open = at;
  }
  const highest = blocks[sure - 1];
  quorum.agreed.hash = highest?.hash ?? null;
  const above = highest?.height ?? -1;
  return large.filter(({ block }) => (block?.height ?? 0) > above).map(({ txHash }) => txHash);
}

/** Returns the highest block up to a height whose hash was kept. */
function knownUpTo(branch: Branch, height: number): number {
  let known = height;
  while (known > branch.final.height && branch.hashAt(known) === undefined) known -= 1;
  return known;
}
