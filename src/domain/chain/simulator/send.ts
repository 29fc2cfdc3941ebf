import { randomUUID } from 'node:crypto';
import type { Connection } from '../../../platform/postgres/db.ts';
import { compare } from '../../../platform/values/money.ts';
import { senderAddress } from '../addresses.ts';
import type { ChainKey } from '../chain-key.ts';
import { decimalsOf, isCoinOn, isInUnits } from '../coins.ts';
import type { ChainTransfer } from '../port.ts';
import type { TransferRequest } from '../test-chain.ts';
import { transactionHash } from '../transaction-hashes.ts';
import * as store from './store.ts';

/** Puts transfers into the pool and returns one for each, in the same order. */
export async function send(
  connection: Connection,
  asked: readonly store.NewTransfer[],
  now: Date,
): Promise<ChainTransfer[]> {
  const rows = await store.insertTransfers(connection, asked, now);
  const byHash = new Map(rows.map(({ transfer }) => [transfer.txHash, transfer]));
  const byReference = new Map(rows.map(({ reference, transfer }) => [reference, transfer]));
  return asked.map(({ txHash, reference }) => {
    const transfer = reference === null ? byHash.get(txHash) : byReference.get(reference);
    if (transfer === undefined) throw new Error(`the transfer ${reference ?? txHash} was not stored`);
    return transfer;
  });
}

/** Throws RangeError for a transfer that no chain can carry. */
export function assertSendable({ coin, network, amount }: TransferRequest): void {
  if (!isCoinOn(coin, network)) throw new RangeError(`${coin} does not exist on ${network}`);
  if (compare(amount, '0') <= 0) throw new RangeError(`an amount to send must be above zero, not ${amount}`);
  if (!isInUnits(amount, coin, network))
    throw new RangeError(`${coin} has ${decimalsOf(coin, network)} decimals on ${network}, not ${amount}`);
}

export function toNewTransfer(
  { network, coin, address, amount, reference, sender }: TransferRequest,
  seed: string,
  chain: ChainKey,
): store.NewTransfer {
  const nonce = reference === undefined ? `once ${randomUUID()}` : `reference ${reference}`;
  const txHash = transactionHash(network, { address, coin, amount, nonce });
  return {
    chain,
    txHash,
    coin,
    address,
    sender: sender === undefined ? senderAddress(seed, network, address) : sender,
    amount,
    reference: reference ?? null,
  };
}

/** Returns the transfer that pays the same address with the same money. */
export function sameAgain(replaced: ChainTransfer, chain: ChainKey): store.NewTransfer {
  const { network, coin, address, sender, amount } = replaced;
  const nonce = `speed up of ${replaced.txHash}`;
  const txHash = transactionHash(network, { address, coin, amount, nonce });
  return { chain, txHash, coin, address, sender, amount, reference: null };
}

/** Returns the hash of the transaction that spends the same money elsewhere. */
export function doubleSpend({ network, txHash, coin, amount }: ChainTransfer): string {
  return transactionHash(network, { address: 'somebody else', coin, amount, nonce: `instead of ${txHash}` });
}
