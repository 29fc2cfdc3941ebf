import { fields, integer, quantity, word } from '../../chain/evm/proofs/values.ts';
import { headerAt } from '../../chain/evm/read.ts';
import type { Call } from '../../chain/rpc/json-rpc.ts';
import { isFault } from '../../chain/rpc/questions.ts';
import { demand } from '../../chain/rpc/refused.ts';
import { raised, readSigned, signTransaction } from '../../chain/keys/sign.ts';
import type { SigningKey } from '../../chain/keys/key-file.ts';
import { listWallets } from '../../chain/wallets/store.ts';
import type { Context } from '../../../platform/context.ts';
import { findCandidates } from './candidates.ts';
import { deriveAgain, lookAtFinal } from './look.ts';
import { broadcast, nonceOf, type Node } from './node.ts';
import { feeOf, isAbove, type Prices } from './plan.ts';
import { endOpenFlushes, markSeen, storeFlush, type FlushOutcome, type OpenFlush } from './store.ts';

/** Where an open flush is: in a block that is not final, or in none. */
export type Standing = FlushOutcome | 'mined' | 'unmined';

/** Returns where the transactions of one number are, by any of their hashes. */
export async function standingOf(
  node: Node,
  open: readonly Pick<OpenFlush, 'tx_hash' | 'nonce' | 'account'>[],
): Promise<Standing> {
  const { provider, final } = node;
  const calls = open.map((one) => receiptCall(one.tx_hash));
  const sent = await provider.batch(calls);
  const place = sent.findIndex((receipt) => receipt !== null);
  if (place >= 0) {
    const receipt = fields(sent[place]);
    const txHash = word(receipt.transactionHash);
    demand(txHash === open[place]?.tx_hash, `the receipt asked for is that of ${open[place]?.tx_hash}`);
    const height = integer(receipt.blockNumber);
    const isFinal = height <= final && (await headerAt(provider, height))?.hash === word(receipt.blockHash);
    return isFinal && (await isAgreed(node, txHash, receipt)) ? outcomeOf(node, receipt) : 'mined';
  }
  const nonces = open.map(({ nonce }) => Number(nonce));
  const account = open[0]?.account ?? '';
  const isUsed = (await nonceOf(node, account, final)) > Math.max(...nonces);
  // Used by another transaction, or by one whose receipt this provider has not.
  if (isUsed)
    for await (const theirs of answersOfOthers(node, calls))
      if (theirs.some((receipt) => receipt !== null)) return 'mined';
  return isUsed ? { tx_hash: null, outcome: 'reverted', gas_used: null, fee: null } : 'unmined';
}

const receiptCall = (txHash: string) => ({ method: 'eth_getTransactionReceipt', params: [txHash] });

type Fields = Readonly<Record<string, unknown>>;

/** Yields what providers of other hosts answer. One that fails says nothing. */
async function* answersOfOthers({ all, provider }: Node, calls: readonly Call[]) {
  for (const other of all.filter(({ host }) => host !== provider.host)) {
    try {
      yield await other.batch(calls);
    } catch (error) {
      if (!isFault(error)) throw error;
    }
  }
}

/**
 * True unless a provider of another host has the transaction elsewhere, with another outcome, or not at all:
 * then one of them lies, or is behind.
 */
async function isAgreed(node: Node, txHash: string, receipt: Fields): Promise<boolean> {
  const saidOf = ({ blockHash, status }: Fields) => `${word(blockHash)} ${quantity(status)}`;
  for await (const [theirs] of answersOfOthers(node, [receiptCall(txHash)]))
    if (theirs === null || saidOf(fields(theirs)) !== saidOf(receipt)) return false;
  return true;
}

function outcomeOf({ coins }: Node, receipt: Fields): FlushOutcome {
  const gas = quantity(receipt.gasUsed);
  // Rollups take a fee of their own for what they write to Ethereum.
  const l1Fee = receipt.l1Fee === undefined || receipt.l1Fee === null ? 0n : quantity(receipt.l1Fee);
  const fee = gas * quantity(receipt.effectiveGasPrice) + l1Fee;
  return {
    tx_hash: word(receipt.transactionHash),
    outcome: quantity(receipt.status) === 1n ? 'flushed' : 'reverted',
    gas_used: String(gas),
    fee: coins.native === null ? null : coins.amountOf(coins.native, fee),
  };
}

/** Records what became of an open flush, and what it left where it was. */
export async function endFlush(
  ctx: Pick<Context, 'db' | 'config' | 'systemNow'>,
  node: Node,
  open: readonly OpenFlush[],
  outcome: FlushOutcome,
): Promise<void> {
  const now = ctx.systemNow();
  const { network } = node.coins;
  const ids = [...new Set(open.flatMap(({ payment_ids }) => payment_ids))];
  const search = {
    network,
    finalHeight: node.final,
    minUsd: '0',
    limit: ids.length,
    refused: [],
    ids,
    now,
  };
  const wallets = await listWallets(ctx.db, null);
  const { derived } = deriveAgain(ctx, wallets, await findCandidates(ctx.db, search));
  const seen = outcome.tx_hash === null ? [] : await lookAtFinal(node, derived, true);
  await ctx.db.transaction(async (tx) => {
    await markSeen(tx, network, seen, now);
    await endOpenFlushes(tx, network, outcome, now);
  });
}

/** A flush that no block has after this long is sent again for more. */
const REPLACED_AFTER_SECONDS = 600;

/** What was done about a flush that no block has. */
export interface SentAgain {
  readonly hash: string;
  readonly isTaken: boolean;
  /** Why it is sent as it was; null: for more, or it is too early for that. */
  readonly because: string | null;
  readonly isReplaced: boolean;
}

/**
 * Sends an open flush again: as it was, or with higher fees once it has waited for long. `prices`: null where
 * nobody knows what gas is worth.
 */
export async function sendAgain(
  { db, systemNow }: Pick<Context, 'db' | 'systemNow'>,
  node: Node,
  open: OpenFlush,
  { key, prices }: { readonly key: SigningKey; readonly prices: Prices | null },
): Promise<SentAgain> {
  const asItWas = async (because: string | null) => {
    const isTaken = await broadcast(node, { raw: open.raw, hash: open.tx_hash });
    return { hash: open.tx_hash, isTaken, because, isReplaced: false };
  };
  const sent = await nonceOf(node, open.account, 'latest');
  if (sent < Number(open.nonce))
    return asItWas(
      `its number is ${open.nonce}, and its account has sent ${sent} transactions: it waits for those between`,
    );
  const waited = (systemNow().getTime() - open.sent_at.getTime()) / 1000;
  if (waited < REPLACED_AFTER_SECONDS) return asItWas(null);
  if (key.address !== open.account) return asItWas(`its gas is that of ${open.account}, another key`);
  if (prices === null) return asItWas('no rate of the native coin is younger than a day');
  const signed = readSigned(open.raw);
  // The same transaction has the same bytes: who owns the database has nothing signed that was not.
  if (!(await signTransaction(key, signed)).raw.equals(open.raw))
    return asItWas('this key has not signed what is stored of it');
  const higher = {
    ...signed,
    maxFeePerGas: raised(signed.maxFeePerGas, node.maxFeePerGas),
    maxPriorityFeePerGas: raised(signed.maxPriorityFeePerGas, node.maxPriorityFeePerGas),
  };
  const fee = feeOf(signed.gas, { ...prices, maxFeePerGas: higher.maxFeePerGas });
  if (isAbove(fee, open.usd, prices))
    return asItWas(`more gas would cost up to ${fee} dollars, above ${prices.maxFeePercent} %`);
  const { raw, hash } = await signTransaction(key, higher);
  const { payment_ids, usd, account } = open;
  const row = {
    tx_hash: hash,
    network: node.coins.network,
    account,
    nonce: signed.nonce,
    raw,
    payment_ids,
    usd,
  };
  await storeFlush(db, { ...row, sent_at: systemNow() });
  return { hash, isTaken: await broadcast(node, { raw, hash }), because: null, isReplaced: true };
}
