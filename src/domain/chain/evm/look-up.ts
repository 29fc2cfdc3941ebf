import type { ChainTransfer, Outcome } from '../port.ts';
import type { Found } from '../scan/cursor.ts';
import { demand } from '../rpc/refused.ts';
import { readTransaction } from './proofs/transactions.ts';
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
    return { state: 'unmined', transfers: found.map((one) => transferOf(coins, one, unmined)) };
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
  };
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
