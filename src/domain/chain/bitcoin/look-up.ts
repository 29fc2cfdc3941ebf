import type { ChainTransfer, Outcome } from '../port.ts';
import { demand } from '../rpc/refused.ts';
import { blockOf, hashAt, heightOf, orNull, type Node } from './node.ts';
import { hashText } from './proofs/bytes.ts';
import { proveHeight, readTransaction } from './proofs/transactions.ts';
import { transfersIn } from './transfers.ts';

/** What of the client decides about an outcome. */
export interface Known extends Pick<ChainTransfer, 'network'> {
  readonly finalHeight: number;
  readonly now: Date;
}

/** Returns what became of a transaction and what it moves to anybody, proven where it is mined. */
export async function findTransaction(node: Node, asked: string, known: Known): Promise<Outcome> {
  const { provider, traits } = node;
  const id = hashText(asked.toLowerCase());
  const sent = await orNull(provider.call('getrawtransaction', id, 1));
  if (sent === null) return { state: 'unknown', transfers: [] };
  const { hex, blockhash } = Object(sent) as { hex?: unknown; blockhash?: unknown };
  const transaction = readTransaction(hex, id);
  const found = transfersIn([transaction], traits);
  const valid = { network: known.network, droppedAt: null, replacedBy: null, reason: null };
  const outcome = (state: Outcome['state'], place: Pick<ChainTransfer, 'block' | 'final' | 'seenAt'>) => ({
    state,
    transfers: found.map(({ txHash, coin, address, sender, amount }) => {
      return { txHash, coin, address, sender, amount, ...place, ...valid };
    }),
  });
  const unmined = outcome('unmined', { block: null, final: false, seenAt: known.now });
  if (blockhash === undefined || blockhash === null || blockhash === '') return unmined;
  const hash = hashText(blockhash);
  const height = await heightOf(provider, hash);
  if ((await hashAt(provider, height)) !== hash) return unmined;
  const block = await blockOf(node, hash);
  demand(block !== null, `provider ${provider.name} does not have block ${hash}`);
  proveHeight(block, height, traits);
  demand(
    block.transactions.some((one) => one.id === id),
    `transaction ${id} is not in the block that is named`,
  );
  const ripe = height + Math.max(0, ...found.map(({ ripensAfter = 0 }) => ripensAfter));
  const final = ripe <= known.finalHeight;
  return outcome('mined', { block: { height, hash }, final, seenAt: block.header.time });
}
