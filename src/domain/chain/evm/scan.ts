import type { NetworkId } from '../networks.ts';
import { ChainHalted, type Wait, type Watch } from '../port.ts';
import { Branch } from './branch.ts';
import { catchUp, type CatchUp } from './catch-up.ts';
import { readCursor, stateAbove, type State } from './cursor.ts';
import { checkpointsBelow, finalize, type Checkpoints, type Finality, type Quorum } from './finality.ts';
import type { Header } from './proofs/header.ts';
import { demand } from './proofs/refused.ts';
import { blockAt, blockOf, findTransfers, headerAt, type Block, type Reader } from './read.ts';
import type { JsonRpc } from './rpc/json-rpc.ts';
import { checkChain } from './rpc/questions.ts';

/**
 * Blocks above the final one that a page reads, and transfers after which it ends: sooner where its time is
 * over, for a provider that takes long for each block must not keep the next one from serving.
 */
const MAX_BLOCKS = 64;
const MAX_CHANGES = 1_000;
/** Further below the final block than this, blocks are read in ranges. */
const CATCH_UP_BLOCKS = 32;

/** What a scan goes by. */
export interface Scan extends Reader, CatchUp {
  readonly chainId: number;
  readonly finality: Finality;
  readonly quorum: Quorum;
  /** The head whose checkpoints are known already; null: none. */
  readonly settledHead: string | null;
}

/** How far a scan has come. It is valid after each step, also when the next one fails. */
export interface Progress {
  branch: Branch;
  head: Header | null;
  checkpoints: Checkpoints | null;
}

/** Returns the state with which a network begins: at its final height. */
export async function begin(provider: JsonRpc, finality: Finality): Promise<State> {
  const head = await headerAt(provider, 'latest');
  demand(head !== null, `provider ${provider.name} has no head`);
  const { final } = await checkpointsBelow(provider, head, finality);
  const header = await headerAt(provider, final);
  demand(header !== null, `provider ${provider.name} does not have block ${final}`);
  return {
    final: { height: final, hash: header.hash },
    blocks: [],
    time: header.time.getTime(),
    transfers: [],
  };
}

/** Returns where the poll that wrote a cursor, or left a state, came; a cursor may also be a height. */
export async function progressFrom(
  network: NetworkId,
  cursor: string | State,
  { watch, now }: { watch: Watch; now: Date },
): Promise<Progress> {
  const known = typeof cursor === 'string' ? readCursor(cursor) : cursor;
  const state = typeof known === 'number' ? stateAbove(known, await watch.standing(network, known)) : known;
  return { branch: new Branch(network, state, now), head: null, checkpoints: null };
}

/** Reads from the tip towards the head, and makes final what is. Returns what is next. */
export async function scan(options: Scan, progress: Progress): Promise<'more' | 'head' | Wait> {
  const { provider, finality, quorum } = options;
  const head = await headerAt(provider, 'latest');
  demand(head !== null, `provider ${provider.name} has no head`);
  progress.head = head;
  const { tip } = progress.branch;
  if (head.hash !== tip.hash && head.height <= tip.height) return behind(progress.branch, head);
  if (head.hash === tip.hash && head.hash === options.settledHead) return 'head';
  const checkpoints = await checkpointsBelow(provider, head, finality);
  if (checkpoints.final - tip.height >= CATCH_UP_BLOCKS) {
    const linked = await linkedBranch(options, progress.branch);
    progress.branch = await catchUp(options, linked, checkpoints.final);
    await finalize(progress.branch, checkpoints, quorum);
    return 'more';
  }
  const next = await readBranch(options, progress, head);
  await finalize(progress.branch, checkpoints, quorum);
  if (next === 'head') progress.checkpoints = checkpoints;
  return next;
}

/** A head that is not above the tip changes nothing: the node lags, or its branch is not longer yet. */
function behind(branch: Branch, { height, hash }: Header): Wait {
  const known = branch.hashAt(height);
  return { waitSeconds: 1, why: known === undefined || known === hash ? 'behind' : 'forked' };
}

/**
 * Reads block by block. A branch that leaves the one that was read replaces it once it is read to a greater
 * height: until then its transfers would look lost.
 */
async function readBranch(options: Scan, progress: Progress, head: Header): Promise<'more' | 'head'> {
  const { provider } = options;
  let branch = progress.branch;
  let longerThan = -1;
  const ends = performance.now() + options.pageMs;
  const isFull = (read: number) =>
    read >= MAX_BLOCKS || branch.numberOfChanges >= MAX_CHANGES || (read > 0 && performance.now() > ends);
  for (let read = 0; branch.tip.height < head.height; read += 1) {
    const isKept = branch.tip.height > longerThan;
    if (isKept && isFull(read)) return 'more';
    const { tip } = branch;
    const height = tip.height + 1;
    const block =
      height === head.height ? await blockOf(provider, head.hash) : await blockAt(provider, height);
    demand(block !== null, `provider ${provider.name} does not have its head`);
    if (tip.hash !== null && block.header.parentHash !== tip.hash) {
      // The chain has moved under this scan: the next poll sees it whole.
      if (read > 0) return 'more';
      longerThan = tip.height;
      branch = await walkBack(options, branch, block);
      continue;
    }
    const found = await findTransfers(options, block);
    branch.extend({ ...block.header, transactions: block.transactions }, found);
    if (height > longerThan) progress.branch = branch;
  }
  return 'head';
}

/** Returns the branch up to where the block above its tip continues it, before blocks are read in ranges. */
async function linkedBranch(options: Scan, branch: Branch): Promise<Branch> {
  const { height, hash } = branch.tip;
  if (hash === null) return branch;
  const above = await blockAt(options.provider, height + 1);
  return above.header.parentHash === hash ? branch : walkBack(options, branch, above);
}

/**
 * Returns the branch up to where it meets that of a block above its tip. Throws ChainHalted when they meet
 * below the final block.
 */
async function walkBack(options: Scan, known: Branch, above: Block): Promise<Branch> {
  const { provider, chainId, quorum } = options;
  await checkChain(provider, chainId);
  const branch = known.copy();
  const { final, tip } = branch;
  let expected = above.header.parentHash;
  for (let height = tip.height; height >= final.height; height -= 1) {
    const header = await headerAt(provider, height);
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
    `${options.coins.network} was reorganised below its final block ${final.height} (${hash}), as provider ` +
      `${provider.name} says: find out which branch is right, and resume from a height`,
  );
}
