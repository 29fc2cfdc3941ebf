import type { Balance, ChainTransfer } from '../port.ts';
import type { Found } from './cursor.ts';
import { demand } from './proofs/refused.ts';
import { readTransaction } from './proofs/transactions.ts';
import { fields, quantity, word } from './proofs/values.ts';
import { blockOf, headerAt, proveContent, transfersTo, type Reader } from './read.ts';
import type { Call } from './rpc/json-rpc.ts';
import { summed, type Coins } from './transfers.ts';

/** balanceOf(address), ERC-20. */
const BALANCE_OF = '0x70a08231';

const ANY = { has: () => true };

/** Returns what a transaction moves to anybody, proven where it is mined; none: it is not known. */
export async function findTransaction(
  { provider, coins }: Pick<Reader, 'provider' | 'coins'>,
  txHash: string,
  { finalHeight, now }: { finalHeight: number; now: Date },
): Promise<ChainTransfer[]> {
  const sent = await provider.call('eth_getTransactionByHash', txHash);
  if (sent === null) return [];
  const transaction = readTransaction(sent);
  const { blockHash } = fields(sent);
  const block = typeof blockHash === 'string' ? await blockOf(provider, word(blockHash)) : null;
  const isOnBranch =
    block !== null && (await headerAt(provider, block.header.height))?.hash === block.header.hash;
  if (!isOnBranch) {
    const move = coins.intended(transaction);
    const found = move === null ? [] : summed(coins, transaction, [move]);
    return found.map((one) => transferOf(coins, one, { block: null, final: false, seenAt: now }));
  }
  const { height, hash, time } = block.header;
  proveContent(block);
  const found = await transfersTo({ provider, coins }, block, ANY, null);
  return found
    .filter((one) => one.txHash === txHash.toLowerCase())
    .map((one) =>
      transferOf(coins, one, { block: { height, hash }, final: height <= finalHeight, seenAt: time }),
    );
}

function transferOf(
  { network }: Coins,
  { txHash, coin, address, sender, amount }: Found,
  state: Pick<ChainTransfer, 'block' | 'final' | 'seenAt'>,
): ChainTransfer {
  const valid = { droppedAt: null, replacedBy: null, reason: null };
  return { network, txHash, coin, address, sender, amount, ...state, ...valid };
}

/** Returns what addresses hold at a height, some in a batch. It is the provider's word: nothing proves it. */
export async function readBalances(
  { provider, coins }: Pick<Reader, 'provider' | 'coins'>,
  asked: readonly Pick<Balance, 'address' | 'coin'>[],
  height: number,
): Promise<Balance[]> {
  const header = await headerAt(provider, height);
  demand(header !== null, `provider ${provider.name} has no block ${height}`);
  // By hash: a node that has not the state of that block says so, instead of answering from another.
  const at = { blockHash: header.hash, requireCanonical: true };
  const contracts = new Map([...coins.tokens].map(([contract, coin]) => [coin, contract]));
  const results = await provider.batch(
    asked.map(({ address, coin }) => callFor(address, contracts.get(coin), at)),
  );
  return asked.map(({ address, coin }, i) => ({
    address,
    coin,
    amount: coins.amountOf(coin, quantity(results[i])),
  }));
}

function callFor(address: string, contract: string | undefined, at: unknown): Call {
  if (contract === undefined) return { method: 'eth_getBalance', params: [address, at] };
  const data = `${BALANCE_OF}${address.slice(2).padStart(64, '0')}`;
  return { method: 'eth_call', params: [{ to: contract, data }, at] };
}
