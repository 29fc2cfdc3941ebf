import { createHash } from 'node:crypto';
import { recordChange } from '../../audit/record.ts';
import { once } from '../../idempotency/claim.ts';
import type { Context } from '../../../platform/context.ts';
import type { Tx } from '../../../platform/postgres/db.ts';
import { reply, type Caller, type IdempotencyClaim, type Reply } from '../../api/endpoint.ts';
import { ApiError } from '../../api/errors.ts';
import { getPayment } from '../lifecycle/store.ts';
import { acceptAsked, type RefundAdapters } from './asked/accept-asked.ts';
import { isLarge } from './asked/large.ts';
import { asOffered } from './by-signer/served.ts';
import { toRefundResource, type RefundBody } from './schemas.ts';
import type { Refund } from './store.ts';

/** What a person has looked at, and confirms. */
export interface ConfirmedRefund {
  /** That of the preview. */
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
      if (confirmed.mark !== markOf(refunds)) throw new ApiError('refund_not_allowed', { message: CHANGED });
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
      throw new Previewed({ refunds, mark: markOf(refunds), isLarge: large });
    });
  } catch (error) {
    if (error instanceof Previewed) return error.preview;
    throw error;
  }
}

/** Changes with what is sent, and where. */
function markOf(refunds: readonly Refund[]): string {
  const sent = refunds.map(({ coin, network, coin_amount, address }) => [
    coin,
    network,
    coin_amount,
    address,
  ]);
  return createHash('sha256').update(JSON.stringify(sent)).digest('base64url');
}

/** Without reason and addresses: the log is kept for good, and these may say who the customer is. */
async function recordRefunds(
  ctx: Context,
  tx: Tx,
  merchant_id: string,
  refunds: readonly Refund[],
): Promise<void> {
  for (const { id, payment_id, amount, currency, coin, network, coin_amount } of refunds)
    await recordChange(ctx, tx, 'refund accepted', {
      merchant_id,
      payment_id,
      refund_id: id,
      amount: `${amount} ${currency}`,
      sent: `${coin_amount} ${coin}, ${network}`,
    });
}
