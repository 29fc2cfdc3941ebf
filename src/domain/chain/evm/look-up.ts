import type { ChainTransfer, Outcome } from '../port.ts';
import type { Found } from '../scan/cursor.ts';
import { demand, Refused } from '../rpc/refused.ts';
import { proveSigned, readTransaction, type Transaction } from './proofs/transactions.ts';
import { fields, word } from './proofs/values.ts';
import { blockOf, headerAt, proveContent, receiptsOf, transfersTo, type Reader } from './read.ts';
import { summed, type Coins } from './transfers.ts';

/** Returns what became of a transaction and what it moves to anybody, proven where it is mined. */
export async function findTransaction(
  { provider, coins }: Pick<Reader, 'provider' | 'coins'>,
  asked: string,
  { finalHeight, now }: { finalHeight: number; now: Date },
): Promise<Outcome> {
  const sent = await provider.call('eth_getTransactionByHash', asked);
  if (sent === null) return { state: 'unknown', transfers: [] };
  const transaction = readTransaction(sent);
  const { hash: txHash } = transaction;
  demand(txHash === asked.toLowerCase(), `the transaction asked for is ${asked}, and another came`);
  const { blockHash } = fields(sent);
  const block = typeof blockHash === 'string' ? await blockOf(provider, word(blockHash)) : null;
  const isOnBranch =
    block !== null && (await headerAt(provider, block.header.height))?.hash === block.header.hash;
  if (!isOnBranch) {
    const move = coins.intended(transaction);
    const found = move === null ? [] : summed(coins, transaction, [move]);
    const unmined = { block: null, final: false, seenAt: now };
    const transfers = found.map((one) => transferOf(coins, one, unmined));
    return { state: 'unmined', transfers, ...numbered(transaction) };
  }
  const { height, hash, time } = block.header;
  proveContent(block);
  const receipts = await receiptsOf(provider, block);
  const index = block.transactions.findIndex((one) => one.hash === txHash);
  demand(index >= 0, `transaction ${txHash} is not in the block that is named`);
  // Of all that the block moves, the senders of this transaction alone are proven: each costs a millisecond.
  const own = { has: () => true, takes: (one: Pick<Found, 'txHash'>) => one.txHash === txHash };
  const mined = { block: { height, hash }, final: height <= finalHeight, seenAt: time };
  const found = await transfersTo({ provider, coins }, block, own, receipts);
  return {
    state: receipts[index]?.hasSucceeded === true ? 'mined' : 'reverted',
    transfers: found.map((one) => transferOf(coins, one, mined)),
    ...numbered(transaction),
  };
}

/** Nothing where the provider does not prove it, or its type is not known here. */
function numbered(transaction: Transaction): Pick<Outcome, 'number'> {
  try {
    proveSigned(transaction);
    return { number: { sender: transaction.from, nonce: transaction.nonce } };
  } catch (error) {
    if (error instanceof Refused) return {};
    throw error;
  }
}

/** Returns a transfer as the port reports it. */
export function transferOf(
  { network }: Coins,
  { txHash, coin, address, sender, amount }: Found,
  state: Pick<ChainTransfer, 'block' | 'final' | 'seenAt'>,
): ChainTransfer {
  const valid = { droppedAt: null, replacedBy: null, reason: null };
  return { network, txHash, coin, address, sender, amount, ...state, ...valid };
}
