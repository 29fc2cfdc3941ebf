import type { Balances, BlockOfTransfer, ChainTransfer, Holding, Outcome } from '../port.ts';
import { logsFrom, type CatchUp } from './catch-up.ts';
import type { EvmOptions } from './evm-options.ts';
import { transferOf } from './look-up.ts';
import { provenAccount } from './proofs/account.ts';
import { readHeader, type Header } from './proofs/header.ts';
import { demand } from '../rpc/refused.ts';
import { quantity } from './proofs/values.ts';
import { blockOf, headerAt, proveContent, transfersTo, type Reader } from './read.ts';
import type { Call, JsonRpc } from '../rpc/json-rpc.ts';
import { isUnable } from '../rpc/questions.ts';
import { TRANSFER_TOPIC } from './transfers.ts';

/** balanceOf(address), ERC-20. */
const BALANCE_OF = '0x70a08231';

/** What an audit of balances reads with. */
export interface Auditor extends Pick<Reader, 'provider' | 'coins'>, Pick<CatchUp, 'range'> {
  readonly final: BlockOfTransfer;
  readonly largeOf: NonNullable<EvmOptions['largeOf']>;
  /** Yields what providers of other hosts answer. */
  readonly others: <Answer>(question: (other: JsonRpc) => Promise<Answer>) => AsyncIterable<Answer>;
}

/** Blocks that are read backwards from the final one, to one before a time: nodes keep their states. */
const MOST_BACK = 64;

/**
 * Returns what addresses hold after the final block, or after one before it. The state root commits to what
 * accounts hold of the native coin; where a provider has no proof, one of another host must say the same. Of
 * a token it is the provider's word: `readReceived` proves what came.
 */
export async function readBalances(
  { provider, coins, final, others }: Auditor,
  asked: readonly Holding[],
  notAfter: Date | null,
): Promise<Balances> {
  const header = await headerBefore(provider, final, notAfter);
  const native = asked.filter(({ coin }) => coin === coins.native);
  const tokens = asked.filter(({ coin }) => coin !== coins.native);
  const contracts = new Map([...coins.tokens].map(([contract, coin]) => [coin, contract]));
  // By hash: a node that has not the state of that block says so, instead of answering from another.
  const at = { blockHash: header.hash, requireCanonical: true };
  const calls = tokens.map(({ address, coin }) => balanceCall(address, contracts.get(coin) ?? '', at));
  // Without code there is nothing that answers, and no coin.
  const held = (await provider.batch(calls)).map((sent) => (sent === '0x' ? 0n : quantity(sent)));
  const balances = [
    ...(await nativeBalances({ provider, others }, native, header)),
    ...tokens.map((holding, i) => ({ ...holding, units: held[i] ?? 0n, isProven: false })),
  ];
  const { height, hash, time } = header;
  return {
    block: { height, hash, time },
    balances: balances.map(({ units, ...one }) => ({ ...one, amount: coins.amountOf(one.coin, units) })),
  };
}

/** Returns whether an account has spent a number by the final block, as its state root says. */
export async function hasSpent(
  { provider, final }: Auditor,
  { sender, nonce }: NonNullable<Outcome['number']>,
): Promise<boolean> {
  const header = await headerBefore(provider, final, null);
  const proof = await provider.call('eth_getProof', sender, [], { blockHash: header.hash });
  return provenAccount(proof, sender, header).sent > BigInt(nonce);
}

/** Returns the header of the final block, or of the one before a time where that is near. */
async function headerBefore(provider: JsonRpc, final: BlockOfTransfer, notAfter: Date | null) {
  let header = await headerAt(provider, final.height);
  demand(header?.hash === final.hash, `provider ${provider.name} has another final block`);
  const before = notAfter?.getTime() ?? Infinity;
  for (let back = 0; header.time.getTime() > before && header.height > 0 && back < MOST_BACK; back += 1) {
    const { parentHash }: Header = header;
    header = readHeader(await provider.call('eth_getBlockByHash', parentHash, false));
    demand(header.hash === parentHash, `the block asked for is ${parentHash}, and another came`);
  }
  return header;
}

async function nativeBalances(
  { provider, others }: Pick<Auditor, 'provider' | 'others'>,
  asked: readonly Holding[],
  header: Header,
) {
  const proofs = await provider
    .batch(
      asked.map(({ address }) => ({
        method: 'eth_getProof',
        params: [address, [], { blockHash: header.hash }],
      })),
    )
    .catch((error: unknown) => {
      if (isUnable(error)) return null;
      throw error;
    });
  if (proofs !== null)
    return asked.map((holding, i) => ({
      ...holding,
      units: provenAccount(proofs[i], holding.address, header).balance,
      isProven: true,
    }));
  const at = { blockHash: header.hash, requireCanonical: true };
  const calls = asked.map(({ address }) => ({ method: 'eth_getBalance', params: [address, at] }));
  const said = (await provider.batch(calls)).map(quantity);
  const second = await firstOf(others((other) => other.batch(calls)));
  return asked.map((holding, i) => {
    const units = said[i] ?? 0n;
    const other = second?.[i];
    return { ...holding, units, isProven: other !== undefined && quantity(other) === units };
  });
}

/** A log is asked for in this many requests at most: some providers serve ten blocks in one. */
const MOST_RANGES = 200;

/**
 * Returns the transfers of a token to an address since a time, up to the final block. A log says where to
 * look, the receipts of its block prove what came, and a provider of another host, where there is one, that
 * the block is of this chain.
 */
export async function readReceived(
  auditor: Auditor,
  { address, coin }: Holding,
  since: Date,
): Promise<ChainTransfer[]> {
  const { provider, coins, range, final } = auditor;
  const contract = [...coins.tokens].find(([, token]) => token === coin)?.[0];
  if (contract === undefined) return [];
  const filter = { address: [contract], topics: [TRANSFER_TOPIC, null, topicOf(address)] };
  const hashes = new Set<string>();
  let from = await heightBefore(provider, since, final.height);
  for (let asked = 0; from <= final.height && asked < MOST_RANGES; asked += 1) {
    const { to, logs } = await logsFrom({ provider, range }, filter, { from, to: final.height });
    for (const { blockHash } of [...logs.values()].flat()) hashes.add(blockHash);
    from = to + 1;
  }
  const found: ChainTransfer[] = [];
  for (const hash of hashes) {
    const block = await blockOf(provider, hash);
    demand(block !== null && block.header.height <= final.height, `a log is of no block below the final one`);
    if (block.header.time < since) continue;
    proveContent(block);
    const { height, time: seenAt } = block.header;
    const here = await transfersTo({ provider, coins }, block, new Set([address]), null);
    const state = { block: { height, hash }, final: true, seenAt };
    const some = here.filter((one) => one.coin === coin).map((one) => transferOf(coins, one, state));
    if (await isBelieved(auditor, { height, hash }, some)) found.push(...some);
  }
  return found;
}

/** One host alone is believed as far as the scan believes it. */
async function isBelieved(
  { others, largeOf }: Auditor,
  { height, hash }: BlockOfTransfer,
  found: readonly ChainTransfer[],
): Promise<boolean> {
  const second = await firstOf(others(async (other) => ({ header: await headerAt(other, height) })));
  if (second !== null) return second.header?.hash === hash;
  return (await largeOf(found)).length === 0;
}

/** Returns the height of a block before a time. */
async function heightBefore(provider: JsonRpc, since: Date, below: number): Promise<number> {
  for (let back = 64; back < below; back *= 2) {
    const header = await headerAt(provider, below - back);
    if (header !== null && header.time < since) return header.height;
  }
  return 0;
}

async function firstOf<Answer>(answers: AsyncIterable<Answer>): Promise<Answer | null> {
  for await (const answer of answers) return answer;
  return null;
}

const topicOf = (address: string): string => `0x${address.slice(2).padStart(64, '0')}`;

function balanceCall(address: string, contract: string, at: unknown): Call {
  return {
    method: 'eth_call',
    params: [{ to: contract, data: `${BALANCE_OF}${topicOf(address).slice(2)}` }, at],
  };
}
