import { compare, sum } from '../../../platform/values/money.ts';
import type { Owned, Watch } from '../port.ts';
import type { Found } from '../scan/cursor.ts';
import { proveByBytes } from './calls/raw-transactions.ts';
import { readHeader, type Header } from './proofs/header.ts';
import { readReceipts, type Receipt } from './proofs/receipts.ts';
import { demand } from '../rpc/refused.ts';
import {
  isKnownType,
  isSigned,
  proveSender,
  proveTransactions,
  readTransaction,
  type Transaction,
} from './proofs/transactions.ts';
import { fields, list } from './proofs/values.ts';
import type { Call, JsonRpc } from '../rpc/json-rpc.ts';
import { ProviderError, type ProviderFault } from '../rpc/provider-error.ts';
import { gainOf, innerMoves, type InnerMove } from './traces.ts';
import { receiversIn, transfersIn, type Coins } from './transfers.ts';

/** What a poll reads with: one provider, the coins of its network, and which addresses are ours. */
export interface Reader {
  readonly provider: JsonRpc;
  readonly coins: Coins;
  readonly watch: Watch;
  /** Ask what contracts move within transactions, where the provider has traces. */
  readonly hasTraces: boolean;
}

/** A block whose header has the hash that it claims. Its transactions are not proven yet. */
export interface Block {
  readonly header: Header;
  readonly transactions: readonly Transaction[];
}

/**
 * Those of 500 million gas, the most that the OP Stack allows. Proving so many takes seconds, in which no
 * other network is read.
 */
const MOST_TRANSACTIONS = 25_000;

type Which = number | 'latest' | 'finalized' | 'safe';

const nameOf = (which: Which): string => (typeof which === 'number' ? `0x${which.toString(16)}` : which);

/** Returns a header; null: the provider has none of that name. */
export async function headerAt(provider: JsonRpc, which: Which): Promise<Header | null> {
  const sent = await provider.call('eth_getBlockByNumber', nameOf(which), false);
  if (sent === null) return null;
  const header = readHeader(sent);
  demand(typeof which !== 'number' || header.height === which, `block ${nameOf(which)} has another height`);
  return header;
}

/** Returns the block of a height. Below a head there is one: null is refused. */
export async function blockAt(provider: JsonRpc, height: number): Promise<Block> {
  const sent = await provider.call('eth_getBlockByNumber', nameOf(height), true);
  demand(sent !== null, `block ${height} is missing below the head`);
  const block = readBlock(sent);
  demand(block.header.height === height, `block ${height} has another height`);
  return block;
}

/** Returns the block with a hash; null: the provider does not have it. */
export async function blockOf(provider: JsonRpc, hash: string): Promise<Block | null> {
  const sent = await provider.call('eth_getBlockByHash', hash, true);
  if (sent === null) return null;
  const block = readBlock(sent);
  demand(block.header.hash === hash, `the block asked for is ${hash}, and another came`);
  return block;
}

function readBlock(sent: unknown): Block {
  return { header: readHeader(sent), transactions: transactionsIn(sent) };
}

/** Returns the transactions of a block as a provider sent it. */
export function transactionsIn(sent: unknown): Transaction[] {
  const transactions = list(fields(sent).transactions);
  demand(transactions.length <= MOST_TRANSACTIONS, 'a block has more transactions than any has');
  return transactions.map(readTransaction);
}

/**
 * Throws Refused unless the header commits to the transactions: else one that sends us coins could be left
 * out. Where the type of one is not known here it is not checked: each would cost a request.
 */
export function proveContent({ header, transactions }: Block): void {
  if (transactions.every(isKnownType)) proveTransactions(transactions, header, new Map());
}

/** Faults where the receipts of a block may be there one by one: many logs are more than one body takes. */
const ONE_BY_ONE: ReadonlySet<ProviderFault> = new Set(['too_large', 'rpc_error']);

/** Returns the receipts of a block, one for each transaction; its header commits to them. */
export async function receiptsOf(
  provider: JsonRpc,
  { header, transactions }: Block,
): Promise<readonly Receipt[]> {
  const sent = await provider.call('eth_getBlockReceipts', header.hash).catch((error: unknown) => {
    if (!(error instanceof ProviderError)) throw error;
    const calls = transactions.map(({ hash }) => ({ method: 'eth_getTransactionReceipt', params: [hash] }));
    if (error.fault === 'no_method') return provider.batch(calls);
    if (ONE_BY_ONE.has(error.fault)) return inTurn(provider, calls);
    throw error;
  });
  demand(sent !== null, `the receipts of block ${header.height} are missing`);
  demand(
    list(sent).length === transactions.length,
    `block ${header.height} has not as many transactions as receipts`,
  );
  return readReceipts(sent, header);
}

async function inTurn(provider: JsonRpc, calls: readonly Call[]): Promise<unknown[]> {
  const results: unknown[] = [];
  for (const { method, params } of calls) results.push(await provider.call(method, ...params));
  return results;
}

/**
 * Returns the transfers to us in a block. Receipts are read where the header's bloom says that tokens may
 * move, or where a transaction sends us coins. Header, receipts and transactions belong together by their
 * roots, so that nothing can be left out or changed.
 */
export async function findTransfers(reader: Reader, block: Block): Promise<Found[]> {
  const { coins, watch, provider } = reader;
  proveContent(block);
  const receipts = coins.mayMoveTokens(block.header) ? await receiptsOf(provider, block) : null;
  const isTraced = reader.hasTraces && coins.native !== null && block.transactions.length > 0;
  const inner = isTraced ? await innerMoves(provider, block.header.hash) : NONE;
  const told = [...inner.values()].flat();
  const receivers = new Set([
    ...receiversIn(coins, block.transactions, receipts ?? []),
    ...told.map(({ to }) => to),
  ]);
  if (receivers.size === 0) return [];
  const own = await watch.own(coins.network, [...receivers]);
  if (own.size === 0) return [];
  const holders = new Set(told.flatMap(({ to }) => (own.has(to) ? to : [])));
  if (holders.size === 0) return transfersTo(reader, block, own, receipts);
  const all = { ...block, receipts: receipts ?? (await receiptsOf(provider, block)) };
  const gained = await holdersThatGained(reader, block, holders, transfersIn(coins, all, own, inner));
  return transfersTo(reader, block, own, all.receipts, {
    get: (hash) => inner.get(hash)?.filter(({ to }) => gained.has(to)),
  });
}

/** Returns the addresses that a block left with at least as much more as they are told to have got. */
async function holdersThatGained(
  { provider, coins }: Reader,
  { header }: Block,
  holders: ReadonlySet<string>,
  told: readonly Found[],
): Promise<ReadonlySet<string>> {
  const parent = await provider.call('eth_getBlockByHash', header.parentHash, false);
  const gained = new Set<string>();
  for (const holder of holders) {
    const gain = await gainOf(provider, header, holder, readHeader(parent));
    const parts = told.filter(({ address, coin }) => address === holder && coin === coins.native);
    const most =
      gain === null || gain < 0n || coins.native === null ? '0' : coins.amountOf(coins.native, gain);
    if (compare(sum(parts.map(({ amount }) => amount)), most) <= 0) gained.add(holder);
  }
  return gained;
}

const NONE: ReadonlyMap<string, readonly InnerMove[]> = new Map();

/**
 * Returns the transfers that concern some addresses in a block whose content is proven, with the senders of
 * native coins; `receipts` are known already, or read.
 */
export async function transfersTo(
  { provider, coins }: Pick<Reader, 'provider' | 'coins'>,
  block: Block,
  own: Pick<Owned, 'has' | 'takes'>,
  receipts: readonly Receipt[] | null,
  inner: Pick<typeof NONE, 'get'> = NONE,
): Promise<Found[]> {
  const known = receipts ?? (await receiptsOf(provider, block));
  const moved = transfersIn(coins, { ...block, receipts: known }, own, inner);
  const found = moved.filter((one) => own.takes?.(one) ?? true);
  if (found.length === 0) return found;
  const { header, transactions } = block;
  const unknown = new Set(transactions.flatMap((one) => (isKnownType(one) ? [] : one.hash)));
  const isProven = unknown.size === 0 || (await proveByBytes(provider, header, transactions));
  // Logs prove what tokens move, and who sends them. Of a type that is not known no hash covers receiver and
  // value, and without all bytes none covers any: balances tell of such coins.
  const isBelieved = ({ coin, txHash }: Found) => coin !== coins.native || (isProven && !unknown.has(txHash));
  const believed = found.filter(isBelieved);
  // Recovering a key takes a millisecond or two.
  const native = new Set(believed.flatMap(({ coin, txHash }) => (coin === coins.native ? txHash : [])));
  for (const transaction of transactions)
    if (native.has(transaction.hash) && isSigned(transaction)) proveSender(transaction);
  return believed;
}
