import { demand } from '../../rpc/refused.ts';
import { isKnownType, proveTransactions, type Transaction } from '../proofs/transactions.ts';
import { dataBytes, quantity } from '../proofs/values.ts';
import type { JsonRpc } from '../../rpc/json-rpc.ts';
import { isUnable } from '../../rpc/questions.ts';

/**
 * Proves a block's transactions, for which it asks for the bytes of those whose type is not known. False: the
 * provider has not the method. Throws Refused unless the header commits to them, and where one is of another
 * type than it claims: what it moves would be overlooked.
 */
export async function proveByBytes(
  provider: JsonRpc,
  header: Parameters<typeof proveTransactions>[1],
  transactions: readonly Transaction[],
): Promise<boolean> {
  const raw = new Map<string, Buffer>();
  for (const transaction of transactions) {
    if (isKnownType(transaction)) continue;
    const { hash } = transaction;
    const sent = await provider.call('eth_getRawTransactionByHash', hash).catch((error: unknown) => {
      if (isUnable(error)) return null;
      throw error;
    });
    if (sent === null) return false;
    const bytes = dataBytes(sent);
    demand(
      BigInt(bytes[0] ?? 0) === quantity(transaction.sent.type),
      `a transaction of block ${header.height} has not the type that it claims`,
    );
    raw.set(hash, bytes);
  }
  proveTransactions(transactions, header, raw);
  return true;
}
