import type { ChainProfile } from '../../chain/profile.ts';
import { recordChange } from '../../audit/record.ts';
import type { Context } from '../../../platform/context.ts';
import type { Caller } from '../../api/endpoint.ts';
import { ApiError } from '../../api/errors.ts';
import { run, runOne, sql, type Connection } from '../../../platform/postgres/db.ts';
import type { Payment } from '../lifecycle/payment.ts';
import { getPayment, lockPayment, lockPayments } from '../lifecycle/store.ts';
import { withTestClockOf } from '../lifecycle/test-clock.ts';
import { askForAddresses } from './accept.ts';
import { FITS } from './by-merchant/payout-transfers.ts';
import { asOffered } from './by-signer/served.ts';
import { toRefundResource, type RefundList } from './schemas.ts';
import { readPsbts } from './psbt/store.ts';
import { readRefunds } from './store.ts';
import { IS_OPEN, IS_PENDING, IS_UNSIGNED, NEEDS_ADDRESS } from './states.ts';

interface GivenAddress {
  readonly address: string;
  readonly network: string;
  readonly given_at: Date | null;
}

const latestAddress = sql<GivenAddress, { paymentId: string }>(
  'latest_refund_address',
  (p) => `
    SELECT address, network, given_at FROM refund_addresses WHERE payment_id = ${p.paymentId}
    ORDER BY given_at DESC NULLS LAST LIMIT 1`,
);

/** Returns all refunds of a payment, newest first, and the address that its customer gave. */
export async function readRefundList(
  connection: Connection,
  { chains, config }: { readonly chains: ChainProfile; readonly config: Context['config'] },
  { id: paymentId, merchant_id }: Pick<Payment, 'id' | 'merchant_id'>,
): Promise<RefundList> {
  const made = await readPsbts(connection, paymentId);
  const refunds = await asOffered(connection, config, merchant_id, await readRefunds(connection, paymentId));
  const data = refunds.map((refund) => toRefundResource(refund, chains, made.get(refund.id)));
  const given = await runOne(connection, latestAddress, { paymentId });
  const refund_address =
    given === null ? null : { ...given, given_at: given.given_at?.toISOString() ?? null };
  return { data, refund_address };
}

/** SQL: what pays a refund `r` is in a block or, as far as is known, waits for one. */
const IS_SEEN = `EXISTS (
  SELECT FROM payout_transfers t WHERE ${FITS('r', 't')} AND t.refund_id IS NULL AND t.dropped_at IS NULL)`;

/** SQL: a refund `r` that was not sent, and of which the service has asked for no payout. */
const IS_UNSENT = `(${NEEDS_ADDRESS('r')} OR (${IS_UNSIGNED('r')} AND r.offered_at IS NULL AND NOT ${IS_SEEN}) OR (${IS_PENDING('r')} AND r.asked_at IS NULL))`;

/** SQL: the refunds `r` to an address `a` of which money was sent, or may have been. */
const SENT_TO = `refunds r WHERE r.payment_id = a.payment_id AND r.network = a.network
  AND r.address = a.address AND NOT ${IS_UNSENT}`;

const clearAddresses = sql<{ network: string; ids: string[] }, { paymentId: string }>(
  'clear_refund_addresses',
  (p) => `
    WITH cleared AS (
      DELETE FROM refund_addresses a
      WHERE a.payment_id = ${p.paymentId} AND NOT EXISTS (SELECT FROM ${SENT_TO})
      RETURNING payment_id, network, address
    ), waiting AS (
      UPDATE refunds r SET status = 'NEEDS_ADDRESS', address = NULL, asked_at = NULL, problem = NULL
      FROM cleared c
      WHERE r.payment_id = c.payment_id AND r.network = c.network AND r.address = c.address
        AND ${IS_OPEN('r')}
      RETURNING r.network, r.id
    )
    SELECT network, array(SELECT id FROM waiting w WHERE w.network = c.network ORDER BY id) AS ids
    FROM cleared c`,
);

/**
 * Clears the address that the customer of a payment gave, on every network where nothing was sent to it; the
 * page asks again, and refunds that were to go there wait for another. Without an address nothing changes.
 * Throws ApiError payment_not_found, and refund_not_allowed where all that could be cleared was used.
 */
export async function clearRefundAddress(
  ctx: Context,
  chains: ChainProfile,
  caller: Caller,
  id: string,
): Promise<RefundList> {
  await getPayment(ctx.db, caller.merchantId, id);
  const list = await ctx.db.transaction(async (tx) => {
    // With the lock no payout is asked for meanwhile, and nobody gives an address.
    const payment = await lockPayment(tx, id);
    const before = await runOne(tx, latestAddress, { paymentId: id });
    const cleared = await run(tx, clearAddresses, { paymentId: id });
    if (before !== null && cleared.length === 0)
      throw new ApiError('refund_not_allowed', {
        message: `Money was sent to ${before.address}, so it cannot be cleared any more.`,
      });
    const now = withTestClockOf(ctx, payment).now();
    for (const { ids } of cleared) await askForAddresses(tx, payment, ids, now);
    const { merchant_id } = payment;
    if (cleared.length > 0)
      await recordChange(ctx, tx, 'refund address cleared', { merchant_id, payment_id: id });
    return readRefundList(tx, { chains, config: ctx.config }, payment);
  });
  ctx.log.info('refund address cleared', { payment_id: id });
  return list;
}

/** Asked in one run: a mail server that has to catch up sends no more than these in ten minutes. */
const MAX_ASKED = 100;

// Index: refunds_without_address.
const unaskedRefunds = sql<{ id: string; payment_id: string }, { paymentId: string | null; limit: number }>(
  'unasked_refunds',
  (p) => `
    SELECT r.id, r.payment_id FROM refunds r JOIN payments p ON p.id = r.payment_id
    WHERE ${NEEDS_ADDRESS('r')} AND (${p.paymentId}::text IS NULL OR r.payment_id = ${p.paymentId})
      AND p.customer_email IS NOT NULL
      AND NOT EXISTS (SELECT FROM refund_requests q WHERE q.refund_id = r.id)
    ORDER BY r.created_at LIMIT ${p.limit}`,
);

/**
 * Asks by mail for the addresses of refunds that began to wait where nobody could be asked: a release without
 * these mails accepted them, or the customer gave their mail address later. Returns how many it asks for, the
 * oldest first.
 */
export async function askUnaskedRefunds(ctx: Context): Promise<number> {
  const unasked = await run(ctx.db, unaskedRefunds, { paymentId: null, limit: MAX_ASKED });
  for (const paymentId of new Set(unasked.map(({ payment_id }) => payment_id)))
    await ctx.db.transaction(async (tx) => {
      const [payment] = await lockPayments(tx, [paymentId]);
      if (payment === undefined) return;
      // Whoever had the lock before may have asked, or may have been given the address.
      const still = await run(tx, unaskedRefunds, { paymentId, limit: MAX_ASKED });
      const ids = still.map(({ id }) => id);
      await askForAddresses(tx, payment, ids, withTestClockOf(ctx, payment).now());
    });
  return unasked.length;
}
