import { provenAccount } from './proofs/account.ts';
import type { Header } from './proofs/header.ts';
import { demand, Refused } from '../rpc/refused.ts';
import { address, fields, list, quantity, word } from './proofs/values.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { ProviderError, withoutUntil, type ProviderFault } from '../rpc/provider-error.ts';

/** Native coins that a contract moves within a transaction. */
export interface InnerMove {
  readonly from: string;
  readonly to: string;
  readonly value: bigint;
}

const SAYS_NO: ReadonlySet<ProviderFault> = new Set(['no_method']);
/** The block is read without: anybody can make one that takes long to trace. */
const UNTRACED: ReadonlySet<ProviderFault> = new Set([...SAYS_NO, 'rpc_error', 'too_large', 'timeout']);

const TRACER = { tracer: 'callTracer' };

/** The frames that move coins; the others run code, or read. */
const MOVING = new Set(['CALL', 'CREATE', 'CREATE2', 'SELFDESTRUCT']);

/**
 * Returns what contracts move in a block, by the hash of the transaction; nothing, where the node has no
 * traces. Nothing proves it: see `gainOf`.
 */
export async function innerMoves(
  provider: JsonRpc,
  blockHash: string,
): Promise<ReadonlyMap<string, readonly InnerMove[]>> {
  if (performance.now() < provider.without.traces) return new Map();
  const sent = await provider.call('debug_traceBlockByHash', blockHash, TRACER).catch((error: unknown) => {
    if (!(error instanceof ProviderError && UNTRACED.has(error.fault))) throw error;
    provider.without.traces = withoutUntil(error.fault, SAYS_NO);
    return [];
  });
  return new Map(
    list(sent).map((traced) => {
      const { txHash, result } = fields(traced);
      return [word(txHash), movesBelow(fields(result))] as const;
    }),
  );
}

/** Returns what contracts move in a transaction; nothing, where the node has no traces of it. */
export async function innerMovesOf(provider: JsonRpc, txHash: string): Promise<readonly InnerMove[]> {
  const sent = await provider.call('debug_traceTransaction', txHash, TRACER).catch((error: unknown) => {
    if (!(error instanceof ProviderError && UNTRACED.has(error.fault))) throw error;
    return null;
  });
  return sent === null ? [] : movesBelow(fields(sent));
}

/** The outermost frame is the transaction itself. A frame that failed takes back all that is below it. */
function movesBelow(outermost: Readonly<Record<string, unknown>>): InnerMove[] {
  const moves: InnerMove[] = [];
  const frames = outermost.error === undefined ? [outermost] : [];
  for (let frame = frames.pop(); frame !== undefined; frame = frames.pop())
    for (const sent of frame.calls === undefined ? [] : list(frame.calls)) {
      const call = fields(sent);
      if (call.error !== undefined) continue;
      frames.push(call);
      const { type, from, to, value } = call;
      if (typeof type !== 'string' || !MOVING.has(type) || value === undefined) continue;
      const moved = quantity(value);
      if (moved > 0n) moves.push({ from: address(from), to: address(to), value: moved });
    }
  return moves;
}

/**
 * Returns by how much a block changed what an address holds of the native coin, proven by the state roots of
 * the block and its parent; null: the provider has no proof of it.
 */
export async function gainOf(
  provider: JsonRpc,
  header: Header,
  holder: string,
  parent: Header,
): Promise<bigint | null> {
  demand(parent.hash === header.parentHash, `the block before ${header.height} is another`);
  const balances = await Promise.all(
    [header, parent].map(async (at) => {
      const sent = await provider.call('eth_getProof', holder, [], { blockHash: at.hash });
      return provenAccount(sent, holder, at).balance;
    }),
  ).catch((error: unknown) => {
    if (error instanceof Refused) return null;
    if (error instanceof ProviderError && ['no_method', 'rpc_error'].includes(error.fault)) return null;
    throw error;
  });
  return balances === null ? null : (balances[0] ?? 0n) - (balances[1] ?? 0n);
}
