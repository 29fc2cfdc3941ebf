import { simulatorActionsByToken } from '../../../../domain/checkout/actions/simulate.ts';
import { readTimeline } from '../../../../domain/events/timeline/read.ts';
import { adaptersOf } from '../../../../domain/payments/lifecycle/ports.ts';
import { readPayment } from '../../../../domain/payments/read.ts';
import { readAskedWallets } from '../../../../domain/payments/refunds/by-merchant/ask-wallet.ts';
import { readRefundList } from '../../../../domain/payments/refunds/given-address.ts';
import { listUnsoldOf } from '../../../../domain/payments/sales/decide.ts';
import { toResource } from '../../../../domain/payments/schemas.ts';
import type { AtMerchant, DeskReply, Page } from '../../shell/route.ts';
import { attempt } from '../../verbs.ts';
import { paymentIdOf, paymentPath, type PaymentDependencies } from './own.ts';
import { paymentPage } from './payment-page.ts';
import { kindsOf } from './timeline.ts';

/**
 * The page of the payment that the path names, with what is wrong with what was asked for. Throws ApiError
 * payment_not_found.
 */
export async function showPayment(
  visit: AtMerchant,
  { adapters, sandbox }: PaymentDependencies,
  fault: string | null = null,
): Promise<Page> {
  const { ctx, merchant } = visit;
  const row = await readPayment(ctx.db, merchant.merchant_id, paymentIdOf(visit));
  const payment = toResource(row, ctx.config.publicUrl);
  const { chains } = adaptersOf(adapters, merchant.mode);
  const named = { merchantId: merchant.merchant_id, paymentId: payment.id, kinds: kindsOf(visit) };
  const own = { id: payment.id, merchant_id: merchant.merchant_id };
  return paymentPage(visit, {
    payment,
    fault,
    timeline: await readTimeline(ctx.db, named, visit.query.get('after') ?? undefined),
    wallets: await readAskedWallets(ctx.db, payment.id),
    refunds: await readRefundList(ctx.db, { chains, config: ctx.config }, own),
    sales: await listUnsoldOf(ctx.db, payment.id),
    actions: sandbox === null ? [] : await simulatorActionsByToken(ctx, payment.token_id),
  });
}

/**
 * Does what a form of the page asks for, and leads back to the page, which says so; where the domain refuses
 * it, the page says why.
 */
export async function actOn(
  visit: AtMerchant,
  dependencies: PaymentDependencies,
  note: keyof AtMerchant['texts']['payments']['said'],
  work: () => Promise<unknown>,
): Promise<DeskReply> {
  const tried = await attempt(visit, work);
  if ('fault' in tried) return showPayment(visit, dependencies, tried.fault);
  return { to: `${paymentPath(visit)}?said=${note}` };
}
