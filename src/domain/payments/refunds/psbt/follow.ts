import { bytesOfTransactions } from '../../../chain/bitcoin/spending/ask-node.ts';
import { CHAINS } from '../../../chain/bitcoin/options.ts';
import { readTransaction } from '../../../chain/bitcoin/proofs/transactions.ts';
import { scriptOf } from '../../../chain/bitcoin/scripts.ts';
import { realChains } from '../../../chain/profile.ts';
import { isFault } from '../../../chain/rpc/questions.ts';
import { openAccountKeys, type AccountKeys } from '../../../chain/wallets/bitcoin/account-keys.ts';
import { openWallet } from '../../../chain/wallets/open.ts';
import { findWallet } from '../../../chain/wallets/store.ts';
import { addSeconds } from '../../../../platform/clock.ts';
import type { Context } from '../../../../platform/context.ts';
import { messageOf } from '../../../../platform/log.ts';
import { isUnavailable } from '../../../../platform/postgres/db.ts';
import type { AskNode } from './gather.ts';
import { makeRequest } from './make.ts';
import { Unmakeable } from './problems.ts';
import { readDueForPsbt, type DueRefund } from './due.ts';
import { endPsbt, readEndedPsbts, storeDelay, type EndedPsbt } from './store.ts';

/** Requests that are made or looked at in one run, and those whose coins are released. */
const [MADE_AT_ONCE, ENDED_AT_ONCE] = [5, 20];
/** A fee of more per cent of the refund is the operator's to allow. */
const FEE_PERCENT = 10;
/** What nobody could look at is looked at again. */
const DELAY_SECONDS = 60;

/**
 * Makes what merchants sign to pay refunds on Bitcoin, looks whether it can still be sent, and releases the
 * coins of what is completed. Beside the pages of the network, for a node may take long.
 */
export async function followPsbts(ctx: Context, client: { readonly ask?: AskNode }): Promise<void> {
  if (client.ask === undefined) return;
  const ask = client.ask.bind(client);
  for (const ended of await readEndedPsbts(ctx.db, ENDED_AT_ONCE)) {
    // A transaction of which a node says nothing must not keep others from theirs.
    if (!(await release(ctx, ask, ended))) break;
  }
  const [chain] = realChains(ctx.config).addressChains;
  const maxFeePercent = ctx.config.rpc.bitcoin?.maxRefundFeePercent ?? FEE_PERCENT;
  for (const due of await readDueForPsbt(ctx.db, ctx.now(), MADE_AT_ONCE)) {
    try {
      const keys = await keysOf(ctx, due.wallet_id);
      const making = {
        ask,
        keys,
        maxFeePercent,
        scriptOf: (address: string) => scriptOf(address, CHAINS[chain]),
      };
      await makeRequest(ctx, making, due);
    } catch (error) {
      if (isUnavailable(error)) throw error;
      const about = { payment_id: due.payment_id, refund_id: due.id, error: messageOf(error) };
      ctx.log.error('no request was made for a refund on Bitcoin: tried again', about);
      await delayRequest(ctx, due);
      // What a node is to blame for fails the others as well.
      if (isFault(error)) return;
    }
  }
}

/** Records that nobody could look, and when it is tried again. */
async function delayRequest(ctx: Context, { id, wallet_id }: DueRefund): Promise<void> {
  const { problem } = new Unmakeable('unavailable', 'The deposits of your wallet could not be looked at');
  await storeDelay(ctx.db, { id, walletId: wallet_id, problem, dueAt: addSeconds(ctx.now(), DELAY_SECONDS) });
}

async function keysOf(ctx: Context, walletId: string): Promise<AccountKeys> {
  const wallet = await findWallet(ctx.db, walletId);
  if (wallet === null) throw new Error(`the wallet ${walletId} does not exist`);
  // It is trusted by its MAC: change must not go where somebody has written it into the database.
  openWallet(ctx.config, wallet);
  return openAccountKeys(wallet.public_data);
}

/** Releases what a completed refund has taken; false where a node cannot be asked. */
async function release(ctx: Context, ask: AskNode, ended: EndedPsbt): Promise<boolean> {
  // What nobody knows counts as used: an index is left out, and never given to two.
  let isUsed = true;
  try {
    isUsed = await hasUsedChange(ctx, ask, ended);
  } catch (error) {
    if (isUnavailable(error)) throw error;
    const about = { refund_id: ended.refund_id, error: messageOf(error) };
    ctx.log.warn('nobody knows whether a completed refund has used its change address', about);
    if (isFault(error)) return false;
  }
  await endPsbt(ctx.db, ended.refund_id, isUsed);
  return true;
}

async function hasUsedChange(
  ctx: Context,
  ask: AskNode,
  { wallet_id, change_index, tx_hash }: EndedPsbt,
): Promise<boolean> {
  if (change_index === null) return false;
  const { script } = (await keysOf(ctx, wallet_id)).change(change_index);
  return ask(async ({ provider }) => {
    const hex = (await bytesOfTransactions(provider, [tx_hash])).get(tx_hash);
    return (
      hex === undefined || readTransaction(hex, tx_hash).outputs.some((one) => one.script.equals(script))
    );
  });
}
