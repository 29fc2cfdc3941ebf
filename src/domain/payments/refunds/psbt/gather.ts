import type { Node } from '../../../chain/bitcoin/node.ts';
import { bytesOfTransactions, feeRateOf, unspentOf } from '../../../chain/bitcoin/spending/ask-node.ts';
import {
  chooseCoins,
  feeOf,
  feeOfInput,
  outpoint,
  type Choice,
  type Coin,
  type Spending,
} from '../../../chain/bitcoin/spending/choose.ts';
import { readTransaction } from '../../../chain/bitcoin/proofs/transactions.ts';
import type { AccountKey, AccountKeys } from '../../../chain/wallets/bitcoin/account-keys.ts';
import { inParts } from '../../../chain/rpc/in-parts.ts';
import type { Connection } from '../../../../platform/postgres/db.ts';
import { readFinalDeposits, readTaken, type FinalDeposit, type TakenCoin } from './coins.ts';
import { inBtc, Unmakeable } from './problems.ts';
import type { DueRefund } from './due.ts';
import { bytesOfOthers } from './store.ts';

/** Asks a node of the chain. Throws what `Questions.ask` does. */
export type AskNode = <Answer>(question: (node: Node) => Promise<Answer>) => Promise<Answer>;

/** A coin at a deposit address. */
export interface OwnCoin extends Coin {
  readonly deposit_index: number;
  readonly script: Buffer;
  readonly key: AccountKey;
}

/** How far deposits are looked at, the newest first: older ones have mostly left. */
const [MOST_PLACES, MOST_DEPOSITS, DEPOSITS_AT_ONCE] = [20_000, 1_000, 100];
/** What of the transactions that made the coins is sent along at most, and beside how much of a payment. */
const [MOST_BYTES, MOST_BYTES_OF_ALL] = [100_000, 1_000_000];

interface Gathering {
  readonly due: DueRefund;
  readonly keys: AccountKeys;
  /** What the request of the refund spends already. */
  readonly kept: readonly OwnCoin[];
  readonly spending: Omit<Spending, 'feeRate'>;
  /** The fee may be so many per cent of the refund. */
  readonly maxFeePercent: number;
}

/**
 * Finds coins that pay a refund: final ones of the merchant at the wallet, unspent, also by what waits in the
 * pool, and in no other request. Throws Unmakeable where there are none, or where they cost too much.
 */
export async function gatherCoins(
  db: Connection,
  ask: AskNode,
  { due, keys, kept, spending: asked, maxFeePercent }: Gathering,
): Promise<Choice<OwnCoin>> {
  const spending = { ...asked, feeRate: await ask(feeRateOf) };
  // Whoever sends dust to a merchant must not hide what pays.
  const isWorthIt = ({ satoshi }: Coin) => satoshi > feeOfInput(spending);
  const free: OwnCoin[] = [];
  let choice = chooseCoins(spending, free, kept);
  const deposits = choice === null ? await depositsOf(db, due, feeOfInput(spending)) : [];
  for (let i = 0; choice === null && i < deposits.length; i += DEPOSITS_AT_ONCE) {
    const found = await unspentAt(ask, keys, deposits.slice(i, i + DEPOSITS_AT_ONCE), isWorthIt);
    const hashes = found.map(({ txHash }) => txHash);
    const taken = await readTaken(db, { hashes, id: due.id });
    const used = new Set([...taken.map(coinOf), ...kept].map(outpoint));
    free.push(...found.filter((coin) => !used.has(outpoint(coin))));
    choice = chooseCoins(spending, free, kept);
  }
  if (choice === null) throw shortage(spending, [...kept, ...free]);
  if (choice.fee * 10_000n > spending.satoshi * BigInt(Math.round(maxFeePercent * 100)))
    throw new Unmakeable(
      'fee_too_high',
      `The transaction would cost ${inBtc(choice.fee)} BTC at ${spending.feeRate} satoshi a byte, and ` +
        `${maxFeePercent} per cent of the refund are allowed`,
    );
  return choice;
}

const depositsOf = (db: Connection, { wallet_id, merchant_id, final_height }: DueRefund, satoshi: bigint) =>
  readFinalDeposits(db, {
    above: inBtc(satoshi),
    walletId: wallet_id,
    merchantId: merchant_id,
    finalHeight: Number(final_height),
    places: MOST_PLACES,
    limit: MOST_DEPOSITS,
  });

/** How a stored coin is named. */
export const coinOf = ({ tx_hash, output_index }: Pick<TakenCoin, 'tx_hash' | 'output_index'>) => ({
  txHash: tx_hash,
  index: output_index,
});

/** Returns wanted coins at deposit addresses, made by these transactions, that a node knows as unspent. */
export async function unspentAt(
  ask: AskNode,
  keys: AccountKeys,
  deposits: readonly FinalDeposit[],
  wanted: (coin: Coin) => boolean,
): Promise<OwnCoin[]> {
  // A transaction may pay an address more than once: its coins are of one deposit.
  const places = new Map(deposits.map((one) => [`${one.tx_hash} ${one.deposit_index}`, one]));
  const asked = [...places.values()].map(({ tx_hash, deposit_index }) => {
    const key = keys.receiving(deposit_index);
    return { txHash: tx_hash, deposit_index, key, script: key.script };
  });
  return asked.length === 0 ? [] : ask((node) => unspentOf(node, asked, wanted));
}

function shortage(spending: Spending, coins: readonly OwnCoin[]): Unmakeable {
  const held = coins.reduce((sum, { satoshi }) => sum + satoshi, 0n);
  const needed = spending.satoshi + feeOf(spending, Math.max(1, coins.length), false);
  return held < needed
    ? new Unmakeable(
        'insufficient',
        `Your newest final deposits that no other refund spends hold ${inBtc(held)} BTC, and ` +
          `${inBtc(needed)} are needed with the fee`,
      )
    : new Unmakeable('too_many_coins', 'The transaction would spend more than 200 deposits');
}

/**
 * Returns the transactions that made the coins of a refund, by their hash; none where they are too large
 * together, or what its payment has already is: one answer has all of it.
 */
export async function transactionsThatMade(
  db: Connection,
  ask: AskNode,
  { id, payment_id }: Pick<DueRefund, 'id' | 'payment_id'>,
  coins: readonly Coin[],
): Promise<ReadonlyMap<string, Buffer>> {
  if ((await bytesOfOthers(db, payment_id, id)) > MOST_BYTES_OF_ALL) return new Map();
  const hashes = [...new Set(coins.map(({ txHash }) => txHash))];
  return ask(async ({ provider }) => {
    let bytes = 0;
    const all = await inParts(hashes, async (some) => {
      if (bytes > MOST_BYTES) return [];
      const read = [...(await bytesOfTransactions(provider, some))].map(([id, hex]) => {
        readTransaction(hex, id);
        return [id, Buffer.from(String(hex), 'hex')] as const;
      });
      bytes = read.reduce((sum, [, { length }]) => sum + length, bytes);
      return read;
    });
    return new Map(bytes > MOST_BYTES ? [] : all);
  });
}
