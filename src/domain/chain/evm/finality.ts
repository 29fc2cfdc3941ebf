import type { Header } from './proofs/header.ts';
import { demand } from '../rpc/refused.ts';
import { headerAt } from './read.ts';
import { ProviderError } from '../rpc/provider-error.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';

/** How a network says what no reorganisation takes back. */
export interface Finality {
  /** The chain names its final block and its safe one; else they follow from the depth. */
  readonly hasCheckpoints: boolean;
  /** Blocks, its own included, without which no block is final, whatever the chain names. */
  readonly depth: number;
}

/** What a head makes final and safe. */
export interface Checkpoints {
  readonly final: number;
  readonly safe: number;
  /** The blocks that the provider names; none: depth alone decides. */
  readonly named: readonly Header[];
}

/**
 * Returns what a provider calls final and safe below its head. Throws Refused for a final block that is
 * missing or above the head: what was final before stays so, and nothing else becomes it.
 */
export async function checkpointsBelow(
  provider: JsonRpc,
  head: Header,
  { depth, hasCheckpoints }: Finality,
): Promise<Checkpoints> {
  const deep = Math.max(0, head.height - depth + 1);
  if (!hasCheckpoints) return { final: deep, safe: deep, named: [] };
  const [final, safe] = await Promise.all([named(provider, 'finalized'), named(provider, 'safe')]);
  demand(final !== null, `provider ${provider.name} names no final block`);
  const headers = safe === null ? [final] : [final, safe];
  for (const { height } of headers)
    demand(height <= head.height, `provider ${provider.name} names a final or safe block above its head`);
  const height = Math.min(final.height, deep);
  return { final: height, safe: Math.max(height, safe?.height ?? 0), named: headers };
}

/** Of a node that does not know the name, it is an error. */
async function named(provider: JsonRpc, which: 'finalized' | 'safe'): Promise<Header | null> {
  return headerAt(provider, which).catch((error: unknown) => {
    if (error instanceof ProviderError && (error.fault === 'rpc_error' || error.fault === 'no_method'))
      return null;
    throw error;
  });
}
