import { createHash } from 'node:crypto';
import { recordChange } from '../../audit/record.ts';
import { once } from '../../idempotency/claim.ts';
import type { Context } from '../../../platform/context.ts';
import type { Tx } from '../../../platform/postgres/db.ts';
import { reply, type Caller, type IdempotencyClaim, type Reply } from '../../api/endpoint.ts';
import { ApiError } from '../../api/errors.ts';
import { AMOUNT_PATTERN } from '../../api/patterns.ts';
import { compare, max, min, multiply, subtract } from '../../../platform/values/money.ts';
import { getPayment, lockPayment } from '../lifecycle/store.ts';
import { withTestClockOf } from '../lifecycle/test-clock.ts';
import { acceptPlanned } from './accept.ts';
import { planAsked, type RefundAdapters } from './asked/plan-asked.ts';
import { isLarge } from './asked/large.ts';
import { asOffered } from './by-signer/served.ts';
import { toRefundResource, type RefundBody } from './schemas.ts';
import { readRefunds, type Refund } from './store.ts';

/** What a person has looked at, and confirms. */
export interface ConfirmedRefund {
  /** That of the preview: a price may be converted to a little more or less than it says (`isAsShown`). */
  readonly mark: string;
  /** They have proven their second factor lately. */
  readonly mayBeLarge: boolean;
}

/** A request for a refund, of a merchant's key or a person. */
export interface RefundRequest {
  readonly body: RefundBody;
  readonly claim: IdempotencyClaim | null;
  /** Absent: nobody was shown anything. */
  readonly confirmed?: ConfirmedRefund;
}

/** The refund is a large one, and who asks for it may make none. */
export class LargeRefund extends Error {}

/**
 * Accepts a refund of `amount` (in pay_currency; default: all that is left), or of a price at the rate of
 * this moment, and schedules its payout. Out of a settled payment it is paid in the coin in which that was
 * settled; any other payment is refunded in full, in the coins that came. Each coin is a refund of its own:
 * the reply is the first of them. Throws ApiError payment_not_found, refund_not_allowed when the payment's
 * status does not allow it, or when it is not what was confirmed, rate_unavailable for a price without a
 * rate, ValidationError for more than is left, for what its coin cannot express, and for an address that
 * cannot take the money, and LargeRefund.
 */
export async function requestRefund(
  ctx: Context,
  adapters: RefundAdapters,
  { merchantId }: Pick<Caller, 'merchantId'>,
  id: string,
  { body, claim, confirmed }: RefundRequest,
): Promise<Reply> {
  const found = await getPayment(ctx.db, merchantId, id);
  const rules = { ...adapters, addresses: await adapters.addresses.of(ctx, found) };
  const accepted = await once(ctx.db, claim, ctx.now(), async (tx) => {
    // The lock serialises refunds of one payment: two that exceed the rest together must not both be
    // accepted.
    const payment = await lockPayment(tx, id);
    const { planned } = await planAsked(ctx, tx, rules, payment, body);
    const refunds = planned.map(({ refund }) => refund);
    if (confirmed !== undefined) {
      const before = await readRefunds(tx, id);
      if (!isAsShown(confirmed.mark, refunds, before))
        throw new ApiError('refund_not_allowed', { message: CHANGED });
      const all = [...before, ...refunds];
      if (!confirmed.mayBeLarge && (await isLarge(ctx, tx, adapters.rates, payment, all)))
        throw new LargeRefund('a large refund needs a fresh second factor');
    }
    await acceptPlanned(tx, payment, planned, withTestClockOf(ctx, payment).now());
    const [first] = await asOffered(tx, ctx.config, merchantId, refunds.slice(0, 1));
    if (first === undefined) throw new Error(`the refund of payment ${id} is empty`);
    await recordRefunds(ctx, tx, merchantId, refunds);
    return reply(201, toRefundResource(first, adapters.chains));
  });
  ctx.log.info('refund accepted', { payment_id: id });
  return accepted;
}

const CHANGED = 'What can be refunded has changed since it was shown. Nothing was refunded.';

/** What a refund would send. */
export interface RefundPreview {
  readonly refunds: readonly Refund[];
  /** What is left came in more transfers than it sends back: another refund sends the others. */
  readonly hasMore: boolean;
  /** By which its confirmation names it. */
  readonly mark: string;
  readonly isLarge: boolean;
}

/**
 * Returns what `requestRefund` would accept now, by the same plan, and writes nothing. Throws what that
 * throws.
 */
export async function previewRefund(
  ctx: Context,
  adapters: RefundAdapters,
  { merchantId }: Pick<Caller, 'merchantId'>,
  id: string,
  body: RefundBody,
): Promise<RefundPreview> {
  const found = await getPayment(ctx.db, merchantId, id);
  const rules = { ...adapters, addresses: await adapters.addresses.of(ctx, found) };
  // One snapshot: the money of a payment is read beside the status that it led to.
  return ctx.db.transaction(
    async (tx) => {
      const payment = await getPayment(tx, merchantId, id);
      const { planned, hasMore } = await planAsked(ctx, tx, rules, payment, body);
      const refunds = planned.map(({ refund }) => refund);
      const before = await readRefunds(tx, id);
      const large = await isLarge(ctx, tx, adapters.rates, payment, [...before, ...refunds]);
      return { refunds, hasMore, mark: markOf(refunds, before), isLarge: large };
    },
    { isolationLevel: 'repeatable read', readOnly: true },
  );
}

/** The share by which the coins of a price may differ from those that were shown: rates move in seconds. */
export const MOST_MOVED = '0.01';
const IS_AMOUNT = new RegExp(AMOUNT_PATTERN);

/**
 * Changes with what is sent, and where, and with the refunds before it: of two people who were shown the same
 * part, the second is refused, because there is another refund by now. Of a price it says behind a colon what
 * that was converted to.
 */
function markOf(refunds: readonly Refund[], before: readonly Refund[]): string {
  const sent = refunds.map(({ coin, network, coin_amount, address, price }) => [
    coin,
    network,
    price === null ? coin_amount : `${price.amount} ${price.currency}`,
    address,
  ]);
  const digest = createHash('sha256')
    .update(JSON.stringify([sent, before.map(({ id }) => id)]))
    .digest('base64url');
  const [first] = refunds;
  return first === undefined || first.price === null ? digest : `${digest}:${first.coin_amount}`;
}

/** Whether refunds are what the mark was made of: a refund by price is one, at the rate of its own moment. */
function isAsShown(mark: string, refunds: readonly Refund[], before: readonly Refund[]): boolean {
  const [digest, shown] = mark.split(':', 2);
  const [asked, coins] = markOf(refunds, before).split(':', 2);
  if (digest !== asked) return false;
  if (coins === undefined) return shown === undefined;
  if (shown === undefined || !IS_AMOUNT.test(shown)) return false;
  const moved = subtract(max(shown, coins), min(shown, coins));
  return compare(moved, multiply(shown, MOST_MOVED)) <= 0;
}

/** Without reason and addresses: the log is kept for good, and these may say who the customer is. */
async function recordRefunds(
  ctx: Context,
  tx: Tx,
  merchant_id: string,
  refunds: readonly Refund[],
): Promise<void> {
  for (const { id, payment_id, amount, currency, coin, network, coin_amount, price } of refunds)
    await recordChange(ctx, tx, 'refund accepted', {
      merchant_id,
      payment_id,
      refund_id: id,
      amount: `${amount} ${currency}`,
      sent: `${coin_amount} ${coin}, ${network}`,
      ...(price === null ? {} : { price: `${price.amount} ${price.currency}` }),
    });
}
