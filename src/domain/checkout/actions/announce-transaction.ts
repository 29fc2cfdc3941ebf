import type { NetworkId } from '../../chain/networks.ts';
import { awaitTransaction } from '../../payments/awaited/store.ts';
import { adaptersOf, type AdaptersByMode } from '../../payments/lifecycle/ports.ts';
import { withTestClockOf } from '../../payments/lifecycle/test-clock.ts';
import type { Context } from '../../../platform/context.ts';
import { run, sql } from '../../../platform/postgres/db.ts';
import type { LookupResult } from '../components/help.ts';
import { findByToken, type CheckoutPayment } from '../view/store.ts';
import { viewOf } from '../view/view.ts';
import { loseIfAwaited, lookUp, parseHash } from './find-transaction.ts';

/** What the page's script posts when a wallet in the browser has sent a transaction: unchecked input. */
export interface Announced {
  readonly tx: unknown;
  /** The chain that the wallet sent it on. */
  readonly chain: unknown;
}

/**
 * Looks a transaction up that a wallet has sent for the payment behind `token`, as the page's script says,
 * and keeps its hash while the payment asks for money: all its pages say that it was sent. A transaction that
 * pays elsewhere, or that was dropped, is not kept.
 */
export async function announceTransactionByToken(
  ctx: Context,
  adapters: AdaptersByMode,
  token: string,
  { tx, chain }: Announced,
): Promise<{ result: LookupResult; payment: CheckoutPayment } | null> {
  const payment = await findByToken(ctx.db, token);
  if (payment === null) return null;
  const { chains, networks, isSimulated } = adaptersOf(adapters, payment.merchant_mode);
  // Of another one nobody would ever report it.
  const network = networks.find((one) => chains.chainIdOf(one) === Number(chain));
  const hash = network === undefined ? null : parseHash(network, tx);
  if (network === undefined || hash === null) return { result: 'bad', payment };
  const result = await lookUp(ctx, adapters, { ...payment, network }, hash);
  const isAwaited = !['elsewhere', 'dropped', 'counted'].includes(result);
  const { id: payment_id } = payment;
  if (isAwaited && viewOf(payment, withTestClockOf(ctx, payment).now()).toSend !== null)
    await ctx.db.transaction(async (tx) => {
      const announced = await run(tx, announceTransaction, { paymentId: payment_id, network, hash });
      // Nobody follows a simulated chain: it loses nothing by itself.
      if (announced.length > 0 && !isSimulated)
        await awaitTransaction(tx, { payment_id, network, tx_hash: hash });
    });
  if (result === 'dropped') await loseIfAwaited(ctx, payment, hash);
  return { result, payment: (await findByToken(ctx.db, token)) ?? payment };
}

/**
 * How many transactions a payment's wallets can name: a customer sends it in parts, or from another wallet,
 * and whoever has the link writes no more than these.
 */
const MAX_ANNOUNCED = 20;

const announceTransaction = sql<
  { payment_id: string },
  { paymentId: string; network: NetworkId; hash: string }
>(
  'announce_transaction',
  (p) => `
    INSERT INTO announced_transactions AS a (payment_id, network, tx_hash)
    VALUES (${p.paymentId}, ${p.network}, ${p.hash})
    ON CONFLICT (payment_id) DO UPDATE
    SET network = excluded.network, tx_hash = excluded.tx_hash, times = a.times + 1
    WHERE a.times < ${MAX_ANNOUNCED} AND (a.network, a.tx_hash) <> (excluded.network, excluded.tx_hash)
    RETURNING a.payment_id`,
);
