import type { NetworkId } from '../../chain/networks.ts';
import type { ChainClient, Outcome } from '../../chain/port.ts';
import { addSeconds } from '../../../platform/clock.ts';
import type { Context } from '../../../platform/context.ts';
import { messageOf } from '../../../platform/log.ts';
import { isUnavailable } from '../../../platform/postgres/db.ts';
import { deleteAwaitedNoMore, keepNumber, loseAwaited, takeAwaited, type DueTransaction } from './store.ts';

/** Transactions that a provider is asked for at once: what customers name must not cost more. */
const LOOKED_UP_AT_ONCE = 5;
/** A transaction is looked up again after this long. */
const LOOK_UP_AGAIN_SECONDS = 30;

/** The client of a network, as far as it knows of single transactions. */
export interface TransactionClient extends Pick<ChainClient, 'find'> {
  /**
   * Returns whether an account has spent a number by the final block of the last poll; null: unknown. Absent:
   * its transactions have none.
   */
  hasSpent?(number: NonNullable<Outcome['number']>): Promise<boolean | null>;
}

/**
 * Looks up the transactions that customers' wallets have sent for payments and that no block has, and records
 * which of them are lost for good. The client has read its network to the head. Beside the pages of the
 * network, for a provider may take long.
 *
 * Whoever reads that a transaction is lost pays again, so that no pool and no block has it is not enough:
 * pools forget, providers lag, and a transaction comes back. It is lost when its account has spent the number
 * that it has by the final block: all up to there was read, and nothing of it has paid.
 */
export async function followAwaited(
  ctx: Context,
  client: TransactionClient,
  network: NetworkId,
): Promise<void> {
  await deleteAwaitedNoMore(ctx.db, network);
  const now = ctx.now();
  const lookedUpBefore = addSeconds(now, -LOOK_UP_AGAIN_SECONDS);
  const due = await takeAwaited(ctx.db, { network, now, lookedUpBefore, limit: LOOKED_UP_AT_ONCE });
  for (const one of due)
    try {
      const outcome = await client.find(network, one.tx_hash);
      if (outcome !== null) await judge(ctx, client, one, outcome);
    } catch (error) {
      if (isUnavailable(error)) throw error;
      ctx.log.warn('the transaction of a wallet was not looked up, retrying', {
        payment_id: one.payment_id,
        network,
        error: messageOf(error),
      });
    }
}

async function judge(
  ctx: Context,
  client: TransactionClient,
  one: DueTransaction,
  { state, number }: Outcome,
): Promise<void> {
  if (number !== undefined) await keepNumber(ctx.db, one, number);
  const { sender, nonce } = one;
  const known = number ?? (sender === null || nonce === null ? null : { sender, nonce: Number(nonce) });
  // One that was mined may have paid in a way that only a balance tells of.
  const canBeLost = state === 'unknown' || state === 'reverted';
  if (!canBeLost || known === null || (await client.hasSpent?.(known)) !== true) return;
  await loseAwaited(ctx.db, one);
  ctx.log.info('the transaction of a wallet is lost: its page asks for the money again', {
    payment_id: one.payment_id,
    network: one.network,
    tx_hash: one.tx_hash,
  });
}
