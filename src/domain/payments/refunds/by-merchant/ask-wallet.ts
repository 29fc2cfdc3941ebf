import { recordChange } from '../../../audit/record.ts';
import { addSeconds } from '../../../../platform/clock.ts';
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

/**
 * For how long the note is its person's alone: a wallet whose question nobody answers is closed by then, and
 * who has asked may be on holiday, or belong to the shop no more.
 */
const HELD_SECONDS = 3_600;

// By when the wallet was asked: a page that is older than another's asking releases nothing of it.
const releaseRefund = sql<{ id: string }, Named & { askedAt: Date; personId: string; heldSince: Date }>(
  'release_refund_of_wallet',
  (p) => `
    UPDATE refunds SET wallet_asked_at = NULL, wallet_asked_by = NULL
    WHERE id = ${p.id} AND payment_id = ${p.paymentId} AND wallet_asked_at = ${p.askedAt}
      AND (wallet_asked_by = ${p.personId} OR wallet_asked_at <= ${p.heldSince})
    RETURNING id`,
);

interface Asking {
  readonly merchantId: string;
  readonly personId: string;
}

/**
 * Notes that a wallet is asked to pay a refund, before it is. A wallet that was asked may send it minutes
 * later, whatever becomes of the page: of two people or tabs one asks, the other is refused until a person
 * says that nothing was sent, or which transaction it was. Throws ApiError payment_not_found,
 * refund_not_found, and refund_not_allowed where another wallet is asked, or nothing waits for one.
 */
export async function askWallet(ctx: Context, { merchantId, personId }: Asking, named: Named): Promise<void> {
  const asked = {
    named,
    command: 'wallet asked for refund',
    refusal: 'Another wallet was asked to pay this refund, or it was paid.',
  };
  await note(ctx, merchantId, asked, (tx) => runOne(tx, claimRefund, { ...named, personId, now: ctx.now() }));
}

/**
 * Notes that the wallet that was asked at `askedAt` has sent nothing: another one may be asked. Who has asked
 * it may say so, and an hour later anybody who may refund. Throws ApiError payment_not_found,
 * refund_not_found, and refund_not_allowed where none was asked then, another since, or the note is still
 * somebody else's.
 */
export async function releaseWallet(
  ctx: Context,
  { merchantId, personId }: Asking,
  named: Named,
  askedAt: Date,
): Promise<void> {
  const released = {
    named,
    command: 'wallet sent no refund',
    refusal: 'This note was released or replaced, or is somebody else’s for an hour from when they asked.',
  };
  const heldSince = addSeconds(ctx.now(), -HELD_SECONDS);
  const by = { askedAt, personId, heldSince };
  await note(ctx, merchantId, released, (tx) => runOne(tx, releaseRefund, { ...named, ...by }));
}

async function note(
  ctx: Context,
  merchantId: string,
  { named: { id, paymentId }, command, refusal }: { named: Named; command: string; refusal: string },
  change: (tx: Connection) => Promise<object | null>,
): Promise<void> {
  await getPayment(ctx.db, merchantId, paymentId);
  const refunds = await readRefunds(ctx.db, paymentId);
  foundOr(
    'refund_not_found',
    refunds.find((one) => one.id === id),
  );
  await ctx.db.transaction(async (tx) => {
    if ((await change(tx)) === null) throw new ApiError('refund_not_allowed', { message: refusal });
    const details = { merchant_id: merchantId, payment_id: paymentId, refund_id: id };
    await recordChange(ctx, tx, command, details);
  });
}

/** A wallet that was asked, and by whom. */
export interface AskedWallet {
  readonly refund_id: string;
  readonly person_id: string;
  readonly at: Date;
  /** Null: they are gone. */
  readonly email: string | null;
}

// Index: refunds_of_payment.
const askedOfPayment = sql<AskedWallet, { paymentId: string }>(
  'wallets_asked_for_payment',
  (p) => `
    SELECT r.id AS refund_id, r.wallet_asked_by AS person_id, r.wallet_asked_at AS at, who.email
    FROM refunds r LEFT JOIN people who ON who.id = r.wallet_asked_by
    WHERE r.payment_id = ${p.paymentId} AND r.wallet_asked_at IS NOT NULL`,
);

/** When anybody may say that the wallet has sent nothing; until then only who has asked it. */
export const heldUntil = ({ at }: AskedWallet): Date => addSeconds(at, HELD_SECONDS);

/** Returns the wallets that were asked to pay refunds of a payment, whose transactions nobody has named. */
export async function readAskedWallets(connection: Connection, paymentId: string): Promise<AskedWallet[]> {
  return run(connection, askedOfPayment, { paymentId });
}
