import type { ChainPage } from '../port.ts';
import { demand, Refused } from '../rpc/refused.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import type { Branch } from '../scan/branch.ts';
import type { State } from '../scan/cursor.ts';
import { finalize, type Quorum } from '../scan/quorum.ts';
import { behind, readBranch, walkBack, type Progress, type Source } from '../scan/read-branch.ts';
import { catchUp, type CatchUp } from './catch-up.ts';
import { checkpointsBelow, type Checkpoints, type Finality } from './finality.ts';
import { integer } from './proofs/values.ts';
import { blockAt, blockOf, findTransfers, headerAt, type Block, type Reader } from './read.ts';
import { minedOf } from './transfers.ts';

/** Further below the final block than this, blocks are read in ranges. */
const CATCH_UP_BLOCKS = 32;
/** Blocks below the head that are requested at once: where a second has four, each takes longer than that. */
const READ_AHEAD = 4;

/** What a scan goes by. */
export interface Scan extends Reader, CatchUp {
  readonly chainId: number;
  readonly finality: Finality;
  readonly quorum: Quorum;
  /** The head whose checkpoints are known already; null: none. */
  readonly settledHead: string | null;
}

/** What is next, and the checkpoints where the head was reached and they were asked for. */
export interface Scanned {
  readonly next: ChainPage['next'];
  readonly checkpoints: Checkpoints | null;
}

/** Throws Refused when the provider serves another chain. */
export async function checkChain(provider: JsonRpc, chainId: number): Promise<void> {
  const served = integer(await provider.call('eth_chainId'));
  if (served !== chainId)
    throw new Refused('wrong_chain', `provider ${provider.name} serves chain ${served}, not ${chainId}`);
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

/** Reads from the tip towards the head, and makes final what is. */
export async function scan(options: Scan, progress: Progress): Promise<Scanned> {
  const { provider, finality, pageMs } = options;
  const head = await headerAt(provider, 'latest');
  demand(head !== null, `provider ${provider.name} has no head`);
  progress.head = head;
  const { tip } = progress.branch;
  if (head.hash !== tip.hash && head.height <= tip.height)
    return { next: behind(progress.branch, head), checkpoints: null };
  if (head.hash === tip.hash && head.hash === options.settledHead) return { next: 'head', checkpoints: null };
  const checkpoints = await checkpointsBelow(provider, head, finality);
  const source = sourceOf(options, head.height);
  if (checkpoints.final - tip.height >= CATCH_UP_BLOCKS) {
    const linked = await linkedBranch(source, progress.branch);
    progress.branch = await catchUp(options, linked, checkpoints.final);
    await finalize(progress.branch, checkpoints, source);
    return { next: 'more', checkpoints: null };
  }
  const next = await readBranch(source, progress, head, pageMs);
  await finalize(progress.branch, checkpoints, source);
  return { next, checkpoints: next === 'head' ? checkpoints : null };
}

function sourceOf(options: Scan, head: number): Source<Block> {
  const { provider, quorum, chainId, coins } = options;
  const ahead = new Map<number, Promise<Block>>();
  return {
    network: coins.network,
    provider,
    quorum,
    check: () => checkChain(provider, chainId),
    headerAt: (height) => headerAt(provider, height),
    blockAt(height) {
      for (let next = height; next < Math.min(height + READ_AHEAD, head); next += 1) {
        if (ahead.has(next)) continue;
        const block = blockAt(provider, next);
        // One that fails is thrown when it is needed, or never.
        block.catch(() => {});
        ahead.set(next, block);
      }
      const block = ahead.get(height) ?? blockAt(provider, height);
      ahead.delete(height);
      return block;
    },
    blockOf: (hash) => blockOf(provider, hash),
    extend: async (branch, block) => branch.extend(minedOf(block), await findTransfers(options, block)),
  };
}

/** Returns the branch up to where the block above its tip continues it, before blocks are read in ranges. */
async function linkedBranch(source: Source<Block>, branch: Branch): Promise<Branch> {
  const { height, hash } = branch.tip;
  if (hash === null) return branch;
  const above = await source.blockAt(height + 1);
  return above.header.parentHash === hash ? branch : walkBack(source, branch, above);
}
