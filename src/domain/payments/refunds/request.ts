import { createHash } from 'node:crypto';
import { recordChange } from '../../audit/record.ts';
import { once } from '../../idempotency/claim.ts';
import type { Context } from '../../../platform/context.ts';
import type { Tx } from '../../../platform/postgres/db.ts';
import { reply, type Caller, type IdempotencyClaim, type Reply } from '../../api/endpoint.ts';
import { ApiError } from '../../api/errors.ts';
import { AMOUNT_PATTERN } from '../../api/patterns.ts';
import { compare, max, min, multiply, subtract } from '../../../platform/values/money.ts';
import { getPayment } from '../lifecycle/store.ts';
import { acceptAsked, type RefundAdapters } from './asked/accept-asked.ts';
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
    const refunds = await acceptAsked(ctx, tx, rules, id, body);
    if (confirmed !== undefined) {
      if (!isAsShown(confirmed.mark, refunds, await idsBefore(tx, id, refunds)))
        throw new ApiError('refund_not_allowed', { message: CHANGED });
      if (!confirmed.mayBeLarge && (await isLarge(ctx, tx, adapters.rates, found)))
        throw new LargeRefund('a large refund needs a fresh second factor');
    }
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
  /** By which its confirmation names it. */
  readonly mark: string;
  readonly isLarge: boolean;
}

/** Ends the transaction of a preview. */
class Previewed extends Error {
  readonly preview: RefundPreview;

  constructor(preview: RefundPreview) {
    super('a preview is rolled back');
    this.preview = preview;
  }
}

/**
 * Returns what `requestRefund` would accept now: it is accepted, and taken back, so that the two cannot
 * differ. Throws what that throws.
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
  try {
    return await ctx.db.transaction(async (tx) => {
      const refunds = await acceptAsked(ctx, tx, rules, id, body);
      const large = await isLarge(ctx, tx, adapters.rates, found);
      const mark = markOf(refunds, await idsBefore(tx, id, refunds));
      throw new Previewed({ refunds, mark, isLarge: large });
    });
  } catch (error) {
    if (error instanceof Previewed) return error.preview;
    throw error;
  }
}

/** The share by which the coins of a price may differ from those that were shown: rates move in seconds. */
export const MOST_MOVED = '0.01';
const IS_AMOUNT = new RegExp(AMOUNT_PATTERN);

/** The refunds of the payment beside those that were just accepted. */
async function idsBefore(tx: Tx, paymentId: string, accepted: readonly Refund[]): Promise<string[]> {
  const own = new Set(accepted.map(({ id }) => id));
  return (await readRefunds(tx, paymentId)).map(({ id }) => id).filter((id) => !own.has(id));
}

/**
 * Changes with what is sent, and where, and with the refunds before it: of two people who were shown the same
 * part, the second is refused, because there is another refund by now. Of a price it says behind a colon what
 * that was converted to.
 */
function markOf(refunds: readonly Refund[], before: readonly string[]): string {
  const sent = refunds.map(({ coin, network, coin_amount, address, price }) => [
    coin,
    network,
    price === null ? coin_amount : `${price.amount} ${price.currency}`,
    address,
  ]);
  const digest = createHash('sha256')
    .update(JSON.stringify([sent, before]))
    .digest('base64url');
  const [first] = refunds;
  return first === undefined || first.price === null ? digest : `${digest}:${first.coin_amount}`;
}

/** Whether refunds are what the mark was made of: a refund by price is one, at the rate of its own moment. */
function isAsShown(mark: string, refunds: readonly Refund[], before: readonly string[]): boolean {
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
