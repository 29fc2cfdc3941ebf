import { groupBy } from '../../../../platform/postgres/db.ts';
import { inParts } from '../../rpc/in-parts.ts';
import type { JsonRpc } from '../../rpc/json-rpc.ts';
import { isUnable } from '../../rpc/questions.ts';
import { isNotThere, type Node } from '../node.ts';
import { readTransaction, type Transaction } from '../proofs/transactions.ts';
import type { Coin } from './choose.ts';

/** A transaction that is asked for, and its script that was paid. */
export interface Deposit {
  readonly txHash: string;
  readonly script: Buffer;
}

/**
 * Returns the outputs that pay deposits, each of which is named once, and that a node knows as unspent, also
 * by what waits in its pool: of these those that are `wanted`, for one deposit may have thousands.
 */
export async function unspentOf<Own extends Deposit>(
  { provider }: Node,
  deposits: readonly Own[],
  wanted: (coin: Coin) => boolean,
): Promise<(Coin & Own)[]> {
  const byHash = groupBy(deposits, ({ txHash }) => txHash);
  const paid = await inParts([...byHash], async (some) => {
    const transactions = await transactionsOf(
      provider,
      some.map(([hash]) => hash),
    );
    return some.flatMap(([hash, own]) =>
      (transactions.get(hash)?.outputs ?? []).flatMap(({ script, value }, index) =>
        own
          .filter((deposit) => deposit.script.equals(script))
          .map((deposit) => ({ ...deposit, index, satoshi: value }))
          .filter(wanted),
      ),
    );
  });
  const unspent = await areUnspent(provider, paid, true);
  return paid.filter((_, i) => unspent[i]);
}

/** Returns which coins a node knows as unspent: by blocks, and with `inPool` by what waits there as well. */
export async function areUnspent(
  provider: JsonRpc,
  coins: readonly Pick<Coin, 'txHash' | 'index'>[],
  inPool: boolean,
): Promise<boolean[]> {
  const calls = coins.map(({ txHash, index }) => ({ method: 'gettxout', params: [txHash, index, inPool] }));
  return (await provider.batch(calls)).map((one) => one !== null);
}

async function transactionsOf(
  provider: JsonRpc,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, Transaction>> {
  const found = await bytesOfTransactions(provider, hashes);
  return new Map([...found].map(([id, hex]) => [id, readTransaction(hex, id)]));
}

/** Returns the bytes of transactions, in hex, as far as a node has them: nobody has looked at them. */
export async function bytesOfTransactions(
  provider: JsonRpc,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, unknown>> {
  const calls = hashes.map((id) => ({ method: 'getrawtransaction', params: [id, 0] }));
  const sent = await provider.batch(calls, isNotThere);
  return new Map(hashes.flatMap((id, i) => (sent[i] === null ? [] : [[id, sent[i]] as const])));
}

/** Blocks within which a transaction is to be mined: an hour. */
const TARGET_BLOCKS = 6;
/** Satoshi for each virtual byte: where no node knows any, and the least and most that is believed. */
const [FALLBACK, LEAST, MOST] = [10, 1, 2_000];
const SATOSHI_A_BYTE = 100_000;

/** Returns the satoshi for each virtual byte with which a transaction is mined soon: a node's estimate. */
export async function feeRateOf({ provider }: Node): Promise<number> {
  const sent = await provider.call('estimatesmartfee', TARGET_BLOCKS).catch((error: unknown) => {
    if (isUnable(error)) return null;
    throw error;
  });
  const { feerate } = Object(sent) as { feerate?: unknown };
  // In BTC for a thousand bytes. Core has none while it has seen too few blocks, btcd has no such method.
  if (typeof feerate !== 'number' || !(feerate > 0)) return FALLBACK;
  return Math.min(MOST, Math.max(LEAST, feerate * SATOSHI_A_BYTE));
}
