import { recordChange } from '../../../audit/record.ts';
import type { Context } from '../../../../platform/context.ts';
import { run, runOne, sql, type Connection } from '../../../../platform/postgres/db.ts';
import { ApiError, foundOr } from '../../../api/errors.ts';
import { getPayment } from '../../lifecycle/store.ts';
import { IS_AWAITED } from '../states.ts';
import { readRefunds } from '../store.ts';

interface Named {
  readonly id: string;
  readonly paymentId: string;
}

const claimRefund = sql<{ id: string }, Named & { personId: string; now: Date }>(
  'ask_wallet_for_refund',
  (p) => `
    UPDATE refunds r SET wallet_asked_at = ${p.now}, wallet_asked_by = ${p.personId}
    WHERE id = ${p.id} AND payment_id = ${p.paymentId} AND ${IS_AWAITED('r')} AND tx_hash IS NULL
      AND wallet_asked_at IS NULL
    RETURNING id`,
);

const releaseRefund = sql<{ id: string }, Named>(
  'release_refund_of_wallet',
  (p) => `
    UPDATE refunds SET wallet_asked_at = NULL, wallet_asked_by = NULL
    WHERE id = ${p.id} AND payment_id = ${p.paymentId} AND wallet_asked_at IS NOT NULL
    RETURNING id`,
);

/**
 * Notes that a wallet is asked to pay a refund, before it is, or that it has sent nothing. A wallet that was
 * asked may send it minutes later, whatever becomes of the page: of two people or tabs one asks, the other is
 * refused until a person says that nothing was sent, or which transaction it was. Throws ApiError
 * payment_not_found, refund_not_found, and refund_not_allowed where another wallet is asked, or nothing waits
 * for one.
 */
export async function noteWallet(
  ctx: Context,
  { merchantId, personId }: { readonly merchantId: string; readonly personId: string },
  named: Named,
  isAsked: boolean,
): Promise<void> {
  const { id, paymentId } = named;
  await getPayment(ctx.db, merchantId, paymentId);
  const refunds = await readRefunds(ctx.db, paymentId);
  foundOr(
    'refund_not_found',
    refunds.find((one) => one.id === id),
  );
  await ctx.db.transaction(async (tx) => {
    const noted = isAsked
      ? await runOne(tx, claimRefund, { ...named, personId, now: ctx.now() })
      : await runOne(tx, releaseRefund, named);
    if (noted === null) {
      const message = isAsked
        ? 'Another wallet was asked to pay this refund, or it was paid.'
        : 'No wallet was asked.';
      throw new ApiError('refund_not_allowed', { message });
    }
    const details = { merchant_id: merchantId, payment_id: paymentId, refund_id: id };
    await recordChange(ctx, tx, isAsked ? 'wallet asked for refund' : 'wallet sent no refund', details);
  });
}

/** A wallet that was asked, and by whom. */
export interface AskedWallet {
  readonly refund_id: string;
  readonly at: Date;
  /** Null: they are gone. */
  readonly email: string | null;
}

// Index: refunds_of_payment.
const askedOfPayment = sql<AskedWallet, { paymentId: string }>(
  'wallets_asked_for_payment',
  (p) => `
    SELECT r.id AS refund_id, r.wallet_asked_at AS at, who.email
    FROM refunds r LEFT JOIN people who ON who.id = r.wallet_asked_by
    WHERE r.payment_id = ${p.paymentId} AND r.wallet_asked_at IS NOT NULL`,
);

/** Returns the wallets that were asked to pay refunds of a payment, whose transactions nobody has named. */
export async function readAskedWallets(connection: Connection, paymentId: string): Promise<AskedWallet[]> {
  return run(connection, askedOfPayment, { paymentId });
}
