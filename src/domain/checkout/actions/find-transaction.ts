import { liveChainKey } from '../../chain/chain-key.ts';
import { NETWORKS, type NetworkId } from '../../chain/networks.ts';
import type { ChainTransfer } from '../../chain/port.ts';
import { mostSecondsBehind } from '../../chain/profile.ts';
import { loseAwaited } from '../../payments/awaited/store.ts';
import { adaptersOf, type AdaptersByMode } from '../../payments/lifecycle/ports.ts';
import { contextOfTestClock } from '../../payments/lifecycle/test-clock.ts';
import { syncNetwork } from '../../payments/sync/sync-network.ts';
import type { TransactionHashFormat } from '../../../networks/traits/network.ts';
import type { Context } from '../../../platform/context.ts';
import { addSeconds } from '../../../platform/clock.ts';
import { messageOf } from '../../../platform/log.ts';
import { isUnavailable, runOne, sql } from '../../../platform/postgres/db.ts';
import type { LookupResult } from '../components/help.ts';
import { findByToken, type CheckoutPayment } from '../view/store.ts';

/** A hash anywhere in what people paste: alone, or in an explorer's link. */
const HASHES: Readonly<Record<TransactionHashFormat, RegExp>> = {
  hex: /(?<![0-9a-z])(?:0x)?([0-9a-f]{64})(?![0-9a-z])/i,
  '0x-hex': /(?<![0-9a-z])(?:0x)?([0-9a-f]{64})(?![0-9a-z])/i,
  base58: /(?<![1-9A-Za-z])([1-9A-HJ-NP-Za-km-z]{80,90})(?![1-9A-Za-z])/,
};

/**
 * Looks up the transaction that a customer of the payment behind `token` named, which is unchecked input, and
 * says what the network knows of it. One that pays this payment and was not seen yet is synced at once.
 */
export async function findTransactionByToken(
  ctx: Context,
  adapters: AdaptersByMode,
  token: string,
  input: unknown,
): Promise<{ result: LookupResult; payment: CheckoutPayment } | null> {
  const payment = await findByToken(ctx.db, token);
  if (payment === null) return null;
  const hash = parseHash(payment.network, input);
  if (hash === null) return { result: 'bad', payment };
  const result = await lookUp(ctx, adapters, payment, hash);
  if (result === 'dropped') await loseIfAwaited(ctx, payment, hash);
  const isChanged = result === 'seen' || result === 'dropped';
  const shown = isChanged ? await findByToken(ctx.db, token) : payment;
  return { result, payment: shown ?? payment };
}

/** The chain says that a transaction is lost for good: where the page waits for it, it asks again. */
export async function loseIfAwaited(
  { db }: Pick<Context, 'db'>,
  { id, sent_hash, sent_network }: CheckoutPayment,
  hash: string,
): Promise<void> {
  if (hash !== sent_hash || sent_network === null) return;
  await loseAwaited(db, { payment_id: id, network: sent_network, tx_hash: hash });
}

/** The hash in `input` as the network writes it; null: there is none. */
export function parseHash(network: NetworkId, input: unknown): string | null {
  if (typeof input !== 'string') return null;
  const { transactionHashFormat: format } = NETWORKS[network];
  const [, hash] = HASHES[format].exec(input) ?? [];
  if (hash === undefined) return null;
  if (format === 'base58') return hash;
  return format === 'hex' ? hash.toLowerCase() : `0x${hash.toLowerCase()}`;
}

/**
 * What the network knows of a transaction that is said to pay a payment. One that does, and was not seen yet,
 * is synced at once.
 */
export async function lookUp(
  ctx: Context,
  adapters: AdaptersByMode,
  payment: CheckoutPayment,
  hash: string,
): Promise<LookupResult> {
  const { network, test_clock } = payment;
  if (payment.transfers.some(({ tx_hash }) => tx_hash === hash)) return 'counted';
  const own = adaptersOf(adapters, payment.merchant_mode);
  const clocked = test_clock === null ? ctx : await contextOfTestClock(ctx, test_clock);
  if (clocked === null || !own.networks.includes(network)) return 'unable';
  try {
    const found = await own.chain(clocked).find(network, hash);
    if (found === null) return await lookUpRead(ctx, payment, hash);
    const result = resultOf(found.transfers, payment);
    if (result === 'seen') await syncNetwork(clocked, own, network);
    return result;
  } catch (error) {
    if (isUnavailable(error)) throw error;
    ctx.log.warn('checkout page: transaction not looked up', {
      payment_id: payment.id,
      error: messageOf(error),
    });
    return 'unable';
  }
}

// Index: transfers_pkey.
const readOfTransaction = sql<
  { is_read: boolean; is_valid: boolean | null },
  { chain: string; network: NetworkId; hash: string; paymentId: string; since: Date }
>(
  'read_of_transaction',
  (p) => `
    SELECT (c.halted_at IS NULL AND c.scanned_until >= ${p.since}) IS TRUE AS is_read, (
        SELECT bool_or(t.dropped_at IS NULL) FROM transfers t
        WHERE t.payment_id = ${p.paymentId} AND t.network = ${p.network} AND t.tx_hash = ${p.hash}
      ) AS is_valid
    FROM chain_cursors c WHERE c.chain = ${p.chain}`,
);

/**
 * Says what follows from what the watcher has read, where this process has no provider to ask: a transaction
 * that pays the payment would be there, and its page shows neither all of them nor what was dropped. It says
 * nothing of what other payments were paid by: whoever has one link could ask for every transaction of a
 * chain, and know what all merchants take.
 */
async function lookUpRead(
  ctx: Pick<Context, 'db' | 'now' | 'config'>,
  { id: paymentId, network }: CheckoutPayment,
  hash: string,
): Promise<LookupResult> {
  const since = addSeconds(ctx.now(), -mostSecondsBehind(ctx.config, network));
  const chain = liveChainKey(network);
  const read = await runOne(ctx.db, readOfTransaction, { chain, network, hash, paymentId, since });
  if (read === null) return 'unable';
  if (read.is_valid !== null) return read.is_valid ? 'counted' : 'dropped';
  return read.is_read ? 'unseen' : 'unable';
}

function resultOf(transfers: readonly ChainTransfer[], { address }: CheckoutPayment): LookupResult {
  if (transfers.length === 0) return 'unknown';
  const ours = transfers.filter((transfer) => transfer.address === address);
  if (ours.length === 0) return 'elsewhere';
  return ours.every(({ droppedAt }) => droppedAt !== null) ? 'dropped' : 'seen';
}
