import type { BlockOfTransfer } from '../port.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { ProviderError } from '../rpc/provider-error.ts';
import { demand, Refused } from '../rpc/refused.ts';
import type { ChainTraits } from './options.ts';
import { hashText } from './proofs/bytes.ts';
import { readHeader, type Header } from './proofs/header.ts';
import { readBlock, type Block } from './proofs/transactions.ts';

/** What Bitcoin Core and btcd answer where there is no such block or transaction. */
const NOT_THERE: ReadonlySet<number | null> = new Set([-1, -5, -8]);

/** True for an answer that says that there is no such thing. */
export const isNotThere = (error: unknown): boolean =>
  error instanceof ProviderError && error.fault === 'rpc_error' && NOT_THERE.has(error.code);

/** A node, and the chain that it must serve. */
export interface Node {
  readonly provider: JsonRpc;
  readonly traits: ChainTraits;
}

/** Throws Refused when the node serves another chain. */
export async function checkChain({ provider, traits }: Node): Promise<void> {
  const first = await hashAt(provider, 0);
  if (first === null || !traits.genesis.includes(first))
    throw new Refused('wrong_chain', `provider ${provider.name} serves another chain`);
}

/**
 * Returns the newest block. Unless it is the one that is known its height is the node's word, and decides
 * only how far is read.
 */
export async function headOf(
  { provider }: Node,
  known: { readonly height: number; readonly hash: string | null } | null = null,
): Promise<BlockOfTransfer> {
  const hash = hashText(await provider.call('getbestblockhash'));
  return { height: hash === known?.hash ? known.height : await heightOf(provider, hash), hash };
}

/** Returns the height of a block: the node's word. */
export async function heightOf(provider: JsonRpc, hash: string): Promise<number> {
  const sent = await provider.call('getblockheader', hash, true);
  const height = typeof sent === 'object' && sent !== null && 'height' in sent ? sent.height : null;
  if (typeof height !== 'number' || !Number.isSafeInteger(height) || height < 0)
    throw new Refused('malformed', `provider ${provider.name} names no height`);
  return height;
}

/** Returns the hash of the block at a height; null: it has none there. */
export async function hashAt(provider: JsonRpc, height: number): Promise<string | null> {
  const sent = await orNull(provider.call('getblockhash', height));
  return sent === null ? null : hashText(sent);
}

/** Returns the header of a hash. */
export async function headerOf({ provider, traits }: Node, hash: string): Promise<Header> {
  return readHeader(await provider.call('getblockheader', hash, false), hash, traits);
}

/** Returns the header at a height; null: the node has none there. */
export async function headerAt(node: Node, height: number): Promise<(Header & BlockOfTransfer) | null> {
  const hash = await hashAt(node.provider, height);
  return hash === null ? null : { ...(await headerOf(node, hash)), height };
}

/** Returns the block of a hash, as bytes: they prove themselves, and are the smallest form. */
export async function blockOf({ provider, traits }: Node, hash: string): Promise<Block | null> {
  const sent = await orNull(provider.call('getblock', hash, 0));
  return sent === null ? null : readBlock(sent, hash, traits);
}

/** Returns the block of a height. Below a head there is one: none is refused. */
export async function blockAt(node: Node, height: number): Promise<Block> {
  const hash = await hashAt(node.provider, height);
  const block = hash === null ? null : await blockOf(node, hash);
  demand(block !== null, `block ${height} is missing below the head`);
  return block;
}

/** Returns null where there is no such thing. */
export async function orNull(asked: Promise<unknown>): Promise<unknown> {
  return asked.catch((error: unknown) => {
    if (isNotThere(error)) return null;
    throw error;
  });
}
