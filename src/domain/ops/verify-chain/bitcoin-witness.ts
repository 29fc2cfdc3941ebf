import {
  blockAt,
  blockOf,
  checkChain,
  headerAt,
  isNotThere,
  orNull,
  type Node,
} from '../../chain/bitcoin/node.ts';
import { CHAINS } from '../../chain/bitcoin/options.ts';
import { readTransaction } from '../../chain/bitcoin/proofs/transactions.ts';
import { transfersIn, transfersTo } from '../../chain/bitcoin/transfers.ts';
import type { BlockOfTransfer } from '../../chain/port.ts';
import { realChains } from '../../chain/profile.ts';
import { inParts } from '../../chain/rpc/in-parts.ts';
import { demand } from '../../chain/rpc/refused.ts';
import type { Context } from '../../../platform/context.ts';
import { groupBy } from '../../../platform/postgres/db.ts';
import {
  askedOf,
  type AskedTransaction,
  type Moved,
  type Opening,
  type OwnAmong,
  type Witness,
} from './witness.ts';

/**
 * Opens Bitcoin at the watcher's last final block. A node keeps no balances: the transactions that the books
 * name are looked up by its index, and what the books do not know is found in its blocks.
 */
export async function openBitcoinWitness(
  { config }: Pick<Context, 'config'>,
  { provider, network, final }: Opening,
): Promise<Witness> {
  const [chain] = realChains(config).addressChains;
  const node: Node = { provider, traits: CHAINS[chain] };
  await checkChain(node);
  const block = await headerAt(node, final);
  demand(block !== null, `provider ${provider.name} does not have block ${final}`);
  await checkIndex(node, block.hash);
  return {
    block,
    held: (holdings) => Promise.resolve(holdings.map(() => null)),
    moved: (asked) => movedBy(node, asked, block),
    async *received(from, own) {
      const watch = watchOf(own);
      for (let height = from; height <= block.height; height += 1) {
        const { transactions } = await blockAt(node, height);
        const found = await transfersTo({ network, traits: node.traits, watch }, transactions);
        yield found.map(({ txHash, coin, address, amount }) => ({ txHash, coin, address, amount, height }));
      }
    },
  };
}

/** Without an index a node says of every transaction that there is none. */
async function checkIndex(node: Node, hash: string): Promise<void> {
  const { provider } = node;
  const [first] = (await blockOf(node, hash))?.transactions ?? [];
  const sent = first === undefined ? null : await orNull(provider.call('getrawtransaction', first.id, 0));
  demand(sent !== null, `provider ${provider.name} has no whole index of transactions (txindex)`);
}

/** Who looks at final blocks alone knows of nothing that may move. */
const watchOf = (own: OwnAmong) => ({
  own: (_network: unknown, addresses: readonly string[]) => own(addresses),
  standing: () => Promise.resolve([]),
  mined: () => Promise.resolve(new Set<string>()),
});

/** A transaction counts where its block is that of the chain at the height that the books name. */
async function movedBy(
  { provider, traits }: Node,
  asked: readonly AskedTransaction[],
  block: BlockOfTransfer,
): Promise<ReadonlyMap<string, Moved>> {
  const mined = asked.filter(({ height }) => height <= block.height);
  const heights = [...new Set(mined.map(({ height }) => height))];
  const hashes = await provider.batch(
    heights.map((height) => ({ method: 'getblockhash', params: [height] })),
    isNotThere,
  );
  const hashAt = new Map(heights.map((height, i) => [height, hashes[i]]));
  const heightOf = new Map(mined.map(({ txHash, height }) => [txHash, height]));
  const byId = groupBy(mined, ({ txHash }) => txHash);
  const found = await inParts([...byId.keys()], async (ids) => {
    const sent = await provider.batch(
      ids.map((id) => ({ method: 'getrawtransaction', params: [id, 1] })),
      isNotThere,
    );
    return ids.flatMap((id, i) => {
      const { hex, blockhash } = Object(sent[i] ?? {}) as { hex?: unknown; blockhash?: unknown };
      const expected = hashAt.get(heightOf.get(id) ?? -1);
      if (typeof blockhash !== 'string' || blockhash !== expected) return [];
      const moved = transfersIn([readTransaction(hex, id)], traits);
      return [[id, askedOf(moved, byId.get(id) ?? [])] as const];
    });
  });
  return new Map(found);
}
