import type { ChainProfile } from '../../chain/profile.ts';
import type { Context } from '../../../platform/context.ts';
import type { Caller } from '../../api/endpoint.ts';
import { ApiError } from '../../api/errors.ts';
import { run, runOne, sql, type Connection } from '../../../platform/postgres/db.ts';
import { getPayment, lockPayment } from '../lifecycle/store.ts';
import { withTestClockOf } from '../lifecycle/test-clock.ts';
import { askForAddresses } from './accept.ts';
import { toRefundResource, type RefundList } from './schemas.ts';
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
  chains: ChainProfile,
  paymentId: string,
): Promise<RefundList> {
  const data = (await readRefunds(connection, paymentId)).map((refund) => toRefundResource(refund, chains));
  const given = await runOne(connection, latestAddress, { paymentId });
  const refund_address =
    given === null ? null : { ...given, given_at: given.given_at?.toISOString() ?? null };
  return { data, refund_address };
}

/** SQL: a refund `r` that was not sent, and of which the service has asked for no payout. */
const IS_UNSENT = `(${NEEDS_ADDRESS('r')} OR ${IS_UNSIGNED('r')} OR (${IS_PENDING('r')} AND r.asked_at IS NULL))`;

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
    return readRefundList(tx, chains, id);
  });
  ctx.log.info('refund address cleared', { payment_id: id });
  return list;
}
