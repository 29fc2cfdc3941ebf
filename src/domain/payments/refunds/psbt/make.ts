import { areUnspent } from '../../../chain/bitcoin/spending/ask-node.ts';
import { outpoint, type Choice } from '../../../chain/bitcoin/spending/choose.ts';
import { buildPsbt, type Output } from '../../../chain/bitcoin/spending/psbt.ts';
import type { AccountKeys } from '../../../chain/wallets/bitcoin/account-keys.ts';
import { addSeconds } from '../../../../platform/clock.ts';
import type { Context } from '../../../../platform/context.ts';
import type { Tx } from '../../../../platform/postgres/db.ts';
import { multiply, plain } from '../../../../platform/values/money.ts';
import { lockPayment } from '../../lifecycle/store.ts';
import { freeChangeIndex, lockWalletForCoins, readCoinsOf, readTaken, type TakenCoin } from './coins.ts';
import {
  coinOf,
  gatherCoins,
  transactionsThatMade,
  unspentAt,
  type AskNode,
  type OwnCoin,
} from './gather.ts';
import { Unmakeable } from './problems.ts';
import { isStillDue, type DueRefund } from './due.ts';
import { noteLookAt, storeRequest, type PsbtProblem } from './store.ts';

/** What a request is made with. */
export interface Making {
  readonly ask: AskNode;
  readonly keys: AccountKeys;
  /** Returns the script of an address. */
  readonly scriptOf: (address: string) => Buffer;
  /** The fee may be so many per cent of the refund. */
  readonly maxFeePercent: number;
}

/** A request is looked at this often, and this old it is made again: what miners take changes. */
const [LOOK_SECONDS, RENEW_SECONDS] = [60, 3_600];
const RETRY_SECONDS = 600;
const SATOSHI = '100000000';

/**
 * Makes what a merchant is to sign for a refund, or looks whether it can still be sent. One that may have
 * been signed, also for a refund that was withdrawn and in whose place this one is, is only replaced by one
 * that spends a coin of it, so that no two are mined; or once another transaction has spent its coins, and is
 * final. Where none can be made, it says why. Throws what a node is to blame for.
 */
export async function makeRequest(ctx: Context, making: Making, due: DueRefund): Promise<void> {
  const own = await readCoinsOf(ctx.db, due.id);
  const kept = await stillUnspent(making, own);
  const isRight = due.pays === due.address;
  const isWhole = kept.length === own.length;
  if (!isWhole && !(await isSpentForGood(ctx, making, { due, own }))) return;
  const isNew = due.made_at !== null && addSeconds(due.made_at, RENEW_SECONDS) > ctx.now();
  if (isRight && isWhole && isNew) return noted(ctx, due, { after: LOOK_SECONDS });
  try {
    await renew(ctx, making, { due, own, kept });
  } catch (error) {
    if (!(error instanceof Unmakeable)) throw error;
    // One that is there stays as it is: its fee may be too low, and whoever signs it can raise it.
    if (isRight && isWhole) return noted(ctx, due, { after: RETRY_SECONDS });
    await storeProblem(ctx, error.problem, { due, own, kept, account: making.keys.account });
  }
}

/** A refund whose coins were looked at. */
interface Looked {
  readonly due: DueRefund;
  /** What its request spent when they were read. */
  readonly own: readonly TakenCoin[];
  /** Those of them that can still be spent. */
  readonly kept: readonly OwnCoin[];
}

async function renew(
  ctx: Context,
  { scriptOf, ask, keys, maxFeePercent }: Making,
  looked: Looked,
): Promise<void> {
  const { due, kept } = looked;
  const script = scriptOf(due.address);
  const satoshi = BigInt(plain(multiply(due.coin_amount, SATOSHI)));
  const spending = { satoshi, scriptBytes: script.length };
  const choice = await gatherCoins(ctx.db, ask, { due, keys, kept, spending, maxFeePercent });
  const made = await transactionsThatMade(ctx.db, ask, due, choice.coins);
  await ctx.db.transaction((tx) =>
    store(tx, looked, { keys, choice, made, pay: { script, satoshi } }, ctx.now()),
  );
}

/** Returns those of the coins that a request spends already, and that can still be spent. */
async function stillUnspent({ ask, keys }: Making, own: readonly TakenCoin[]): Promise<OwnCoin[]> {
  const names = new Set(own.map(coinOf).map(outpoint));
  return unspentAt(ask, keys, own, (coin) => names.has(outpoint(coin)));
}

/**
 * True once what has spent coins of a request is final, and was not the refund: that is completed then.
 * Before that, it may be the refund itself, which its signer may replace as well, or be replaced by it.
 */
async function isSpentForGood(
  ctx: Context,
  { ask }: Making,
  { due, own }: { due: DueRefund; own: readonly TakenCoin[] },
): Promise<boolean> {
  const final = Number(due.final_height);
  const height = await ask(async ({ provider }) => {
    const unspent = await areUnspent(provider, own.map(coinOf), false);
    // Asked behind it: the block that spends them is not above.
    return unspent.includes(false) ? Number(await provider.call('getblockcount')) : null;
  });
  // A node that is behind has not seen the deposits.
  const since = height === null || height < final ? null : Number(due.spent_height ?? height);
  if (since !== null && since <= final) return true;
  const spent = new Unmakeable('coins_spent', 'A deposit that the request spends is spent in a transaction');
  await noted(ctx, due, { after: LOOK_SECONDS, problem: spent.problem, spentHeight: since });
  return false;
}

interface Noted {
  readonly after: number;
  readonly problem?: PsbtProblem | null;
  readonly spentHeight?: number | null;
}

async function noted(
  ctx: Context,
  { id, wallet_id: walletId }: DueRefund,
  { after, problem = null, spentHeight = null }: Noted,
): Promise<void> {
  await noteLookAt(ctx.db, { id, walletId, problem, spentHeight, dueAt: addSeconds(ctx.now(), after) });
}

interface Made {
  readonly keys: AccountKeys;
  readonly choice: Choice<OwnCoin>;
  readonly made: ReadonlyMap<string, Buffer>;
  readonly pay: { readonly script: Buffer; readonly satoshi: bigint };
}

async function store(tx: Tx, looked: Looked, { keys, choice, made, pay }: Made, now: Date): Promise<void> {
  const { id, wallet_id } = looked.due;
  const { account } = keys;
  const { coins, change } = choice;
  if (!(await lockDue(tx, looked))) return;
  const hashes = coins.map(({ txHash }) => txHash);
  const taken = new Set((await readTaken(tx, { hashes, id })).map(coinOf).map(outpoint));
  // Another request was faster: the next look finds other coins.
  if (coins.some((coin) => taken.has(outpoint(coin)))) return;
  const isPaid = (index: number) => keys.change(index).script.equals(pay.script);
  const change_index = change > 0n ? await freeChangeIndex(tx, account, id, isPaid) : null;
  const outputs: Output[] = [pay];
  if (change_index !== null) {
    const key = keys.change(change_index);
    outputs.push({ script: key.script, satoshi: change, key });
  }
  const inputs = coins.map((coin) => ({ ...coin, made: made.get(coin.txHash) ?? null }));
  const psbt = buildPsbt(inputs, outputs);
  const due_at = addSeconds(now, LOOK_SECONDS);
  await storeRequest(
    tx,
    { refund_id: id, wallet_id, account, change_index, psbt, problem: null, made_at: now, due_at },
    takenBy(id, coins),
  );
}

/**
 * Locks what a request is stored under; false where none is due any more, or where another watcher has stored
 * one meanwhile, of coins that this one does not know.
 */
async function lockDue(tx: Tx, { due, own }: Omit<Looked, 'kept'>): Promise<boolean> {
  await lockPayment(tx, due.payment_id);
  await lockWalletForCoins(tx, due.wallet_id);
  const known = new Set(own.map(coinOf).map(outpoint));
  const isKnown = (coin: TakenCoin) => known.has(outpoint(coinOf(coin)));
  return (await readCoinsOf(tx, due.id)).every(isKnown) && isStillDue(tx, due);
}

/**
 * Records why there is no request. The coins of one to another address stay taken: the next one cannot be
 * mined beside it.
 */
async function storeProblem(
  ctx: Context,
  problem: PsbtProblem,
  { account, kept, ...looked }: Looked & { readonly account: string | null },
): Promise<void> {
  const { id, wallet_id } = looked.due;
  const none = { account, change_index: null, psbt: null, made_at: null };
  const due_at = addSeconds(ctx.now(), RETRY_SECONDS);
  await ctx.db.transaction(async (tx) => {
    if (!(await lockDue(tx, looked))) return;
    await storeRequest(tx, { refund_id: id, wallet_id, ...none, problem, due_at }, takenBy(id, kept));
  });
}

const takenBy = (refund_id: string, coins: readonly OwnCoin[]): TakenCoin[] =>
  coins.map(({ txHash: tx_hash, index: output_index, deposit_index }) => {
    return { tx_hash, output_index, deposit_index, refund_id };
  });
