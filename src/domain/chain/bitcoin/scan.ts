import type { ChainPage } from '../port.ts';
import type { Branch } from '../scan/branch.ts';
import type { State } from '../scan/cursor.ts';
import { finalize, type Quorum } from '../scan/quorum.ts';
import { behind, readBranch, type Progress, type Source } from '../scan/read-branch.ts';
import { blockAt, blockOf, checkChain, headerAt, headerOf, headOf, type Node } from './node.ts';
import { proveWork, type Header } from './proofs/header.ts';
import { proveHeight, type Block } from './proofs/transactions.ts';
import { spendersOf, transfersTo, type Matching } from './transfers.ts';

/** What a scan goes by. */
export interface Scan extends Node, Matching {
  readonly depth: number;
  readonly quorum: Quorum;
  readonly pageMs: number;
  readonly now: Date;
}

/** Returns the state with which the network begins: at its final height. */
export async function begin(node: Node, depth: number): Promise<State> {
  const head = await headOf(node);
  const height = Math.max(0, head.height - depth + 1);
  const { hash, time } = proveHeight(await blockAt(node, height), height, node.traits).header;
  return { final: { height, hash }, blocks: [], time: time.getTime(), transfers: [] };
}

/**
 * Reads from the tip towards the head, and makes final what is: so many blocks below what was read and
 * linked, whatever a node says of its head.
 */
export async function scan(options: Scan, progress: Progress): Promise<ChainPage['next']> {
  const { depth, pageMs } = options;
  const { tip } = progress.branch;
  const head = await headOf(options, tip);
  progress.head = head;
  if (head.hash !== tip.hash && head.height <= tip.height) return behind(progress.branch, head);
  const source = sourceOf(options);
  const next = await readBranch(source, progress, head, pageMs);
  const final = progress.branch.tip.height - depth + 1;
  await finalize(progress.branch, { final, named: [] }, source);
  return next;
}

function sourceOf(options: Scan): Source<Block> {
  const { network, provider, quorum } = options;
  let last: Header | null = null;
  return {
    network,
    provider,
    quorum,
    check: () => checkChain(options),
    headerAt: (height) => headerAt(options, height),
    blockAt: async (height) => proveHeight(await blockAt(options, height), height, options.traits),
    blockOf: async (hash, height) => {
      const block = await blockOf(options, hash);
      return block && proveHeight(block, height, options.traits);
    },
    async extend(branch, block) {
      const { parentHash } = block.header;
      const parent = last?.hash === parentHash ? last : await headerOf(options, parentHash);
      await extend(options, branch, { block, parent });
      last = block.header;
    },
  };
}

/**
 * Miners write times that are up to two hours off, and may be earlier than the one before. Each block counts
 * as later than the one before, and none as later than now: no money is earlier than what was read already,
 * with which deadlines pass.
 */
async function extend(
  options: Scan,
  branch: Branch,
  { block, parent }: { block: Block; parent: Header },
): Promise<void> {
  const { header, transactions } = block;
  const { tip } = branch;
  const height = tip.height + 1;
  proveWork(header, parent, height, options.traits);
  const time = Math.max(Math.min(header.time.getTime(), options.now.getTime()), tip.time.getTime() + 1);
  const found = await transfersTo(options, transactions);
  const mined = { height, hash: header.hash, time: new Date(time) };
  branch.extend({ ...mined, claimants: (claims) => spendersOf(transactions, claims) }, found);
}
