import type { NetworkId } from '../networks.ts';
import { ChainHalted, type BlockOfTransfer, type Wait, type Watch } from '../port.ts';
import { demand } from '../rpc/refused.ts';
import type { Branch } from './branch.ts';
import type { Found } from './cursor.ts';
import type { Judges } from './quorum.ts';

/**
 * Blocks above the final one that a page reads, and transfers after which it ends: sooner where its time is
 * over, for a provider that takes long for each block must not keep the next one from serving.
 */
const MAX_BLOCKS = 64;
const MAX_CHANGES = 1_000;

/** A header, whose hash commits to the one before. */
export interface Linked extends BlockOfTransfer {
  readonly parentHash: string;
  readonly time: Date;
}

/** What of a block says which one it follows. */
export interface Above {
  readonly header: Pick<Linked, 'parentHash'>;
}

/** How far a scan has come. It is valid after each step, also when the next one fails. */
export interface Progress {
  branch: Branch;
  head: BlockOfTransfer | null;
  /** Once the head is reached: see ChainPage. */
  unsure?: readonly string[];
}

/** What a scan reads blocks from: one provider. What it returns has the hash that it is asked for. */
export interface Source<Block extends Above> extends Judges {
  readonly network: NetworkId;
  readonly provider: { readonly name: string };
  /** Throws Refused when the provider serves another chain. */
  check(): Promise<void>;
  headerAt(height: number): Promise<Linked | null>;
  /** Throws Refused where there is none. */
  blockAt(height: number): Promise<Block>;
  /** Throws Refused where it has another height. */
  blockOf(hash: string, height: number): Promise<Block | null>;
  /** Appends a block to a branch, with the transfers to us that are in it. */
  extend(branch: Branch, block: Block): Promise<void>;
}

/** A head that is not above the tip changes nothing: the node lags, or its branch is not longer yet. */
export function behind(branch: Branch, { height, hash }: BlockOfTransfer): Wait {
  const known = branch.hashAt(height);
  return { waitSeconds: 1, why: known === undefined || known === hash ? 'behind' : 'forked' };
}

/**
 * Reads block by block. A branch that leaves the one that was read replaces it once it is read to a greater
 * height: until then its transfers would look lost.
 */
export async function readBranch<Block extends Above>(
  source: Source<Block>,
  progress: Progress,
  head: BlockOfTransfer,
  pageMs: number,
): Promise<'more' | 'head'> {
  let branch = progress.branch;
  let longerThan = -1;
  const ends = performance.now() + pageMs;
  const isFull = (read: number) =>
    read >= MAX_BLOCKS || branch.numberOfChanges >= MAX_CHANGES || (read > 0 && performance.now() > ends);
  for (let read = 0; branch.tip.height < head.height; read += 1) {
    const isKept = branch.tip.height > longerThan;
    if (isKept && isFull(read)) return 'more';
    const { tip } = branch;
    const height = tip.height + 1;
    const block =
      height === head.height ? await source.blockOf(head.hash, height) : await source.blockAt(height);
    demand(block !== null, `provider ${source.provider.name} does not have its head`);
    if (tip.hash !== null && block.header.parentHash !== tip.hash) {
      // The chain has moved under this scan: the next poll sees it whole.
      if (read > 0) return 'more';
      longerThan = tip.height;
      branch = await walkBack(source, branch, block);
      continue;
    }
    await source.extend(branch, block);
    if (height > longerThan) progress.branch = branch;
  }
  return 'head';
}

/**
 * Returns the branch up to where it meets that of a block above its tip. Throws ChainHalted when they meet
 * below the final block.
 */
export async function walkBack<Block extends Above>(
  { network, provider, quorum, ...source }: Source<Block>,
  known: Branch,
  { header: { parentHash } }: Above,
): Promise<Branch> {
  await source.check();
  const branch = known.copy();
  const { final, tip } = branch;
  let expected = parentHash;
  for (let height = tip.height; height >= final.height; height -= 1) {
    const header = await source.headerAt(height);
    demand(
      header !== null && header.hash === expected,
      `the branch of ${provider.name} moved while it was read`,
    );
    if (header.hash === branch.hashAt(height)) {
      branch.rollBack(header);
      return branch;
    }
    expected = header.parentHash;
  }
  const { hash } = final;
  // Who lies alone must not halt the network, also while the others are away for a moment.
  const others = hash === null ? false : await quorum.agrees({ height: final.height, hash });
  const who = others === null ? 'nobody else can be asked about' : 'is alone on';
  demand(others === false, `provider ${provider.name}: ${who} a branch that leaves below the final block`);
  throw new ChainHalted(
    `${network} was reorganised below its final block ${final.height} (${hash}), as provider ` +
      `${provider.name} says: find out which branch is right, and resume from a height`,
  );
}

/**
 * Records the transfers to us that a provider has in its pool, an extra that nothing proves. What is final is
 * in no pool: a provider that lists it again, by a fault or a lie, must not take confirmed money back.
 */
export async function sightPool(
  { network, watch }: { readonly network: NetworkId; readonly watch: Watch },
  branch: Branch,
  found: readonly Found[],
): Promise<void> {
  const hashes = [...new Set(found.filter((one) => !branch.tracks(one)).map(({ txHash }) => txHash))];
  if (hashes.length === 0) return branch.sight(found);
  const final = await watch.mined(network, hashes, branch.final.height);
  branch.sight(found.filter(({ txHash }) => !final.has(txHash)));
}
