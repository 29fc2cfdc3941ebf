import { simulateByToken } from '../../../../domain/checkout/actions/simulate.ts';
import { cancelPayment } from '../../../../domain/payments/cancel.ts';
import { adaptersOf } from '../../../../domain/payments/lifecycle/ports.ts';
import { announceRefund } from '../../../../domain/payments/refunds/by-merchant/announce.ts';
import { askWallet, releaseWallet } from '../../../../domain/payments/refunds/by-merchant/ask-wallet.ts';
import { decideSale } from '../../../../domain/payments/sales/decide.ts';
import { readPayment } from '../../../../domain/payments/read.ts';
import type { Sandbox } from '../../../../domain/sandbox/test-clock/sandbox.ts';
import { paymentIdOf, paymentPath, type PaymentDependencies } from '../page/own.ts';
import { actOn, showPayment } from '../page/show.ts';
import {
  acting,
  DESK_PER_MINUTE,
  type AtMerchant,
  type DeskReply,
  type DeskRoute,
} from '../../shell/route.ts';
import { callerOf } from '../../verbs.ts';

const PAYMENT = '/dashboard/:merchant/payments/:payment';

/** What people do with a payment beside refunding it. */
export const actionRoutes = (dependencies: PaymentDependencies): readonly DeskRoute[] => [
  {
    name: 'cancel payment',
    method: 'post',
    path: `${PAYMENT}/cancel`,
    access: 'member',
    right: 'payments:write',
    perMinute: DESK_PER_MINUTE,
    handle: (visit) =>
      actOn(visit, dependencies, 'cancelled', () => {
        const adapters = adaptersOf(dependencies.adapters, visit.merchant.mode);
        return cancelPayment(acting(visit), adapters, callerOf(visit), paymentIdOf(visit), null);
      }),
  },
  {
    name: 'announce refund',
    method: 'post',
    path: `${PAYMENT}/refunds/:refund/announce`,
    access: 'member',
    right: 'refunds:write',
    perMinute: DESK_PER_MINUTE,
    handle: (visit) =>
      actOn(visit, dependencies, 'announced', () => {
        const { chains } = adaptersOf(dependencies.adapters, visit.merchant.mode);
        return announceRefund(acting(visit), chains, callerOf(visit), {
          id: paymentIdOf(visit),
          refundId: visit.params.refund ?? '',
          txHash: visit.field('tx_hash').trim(),
          claim: null,
        });
      }),
  },
  {
    name: 'ask wallet',
    method: 'post',
    path: `${PAYMENT}/refunds/:refund/wallet`,
    access: 'member',
    right: 'refunds:write',
    perMinute: DESK_PER_MINUTE,
    handle(visit) {
      const named = { id: visit.params.refund ?? '', paymentId: paymentIdOf(visit) };
      const by = { merchantId: visit.merchant.merchant_id, personId: visit.session.person_id };
      const askedAt = /^[1-9]\d{0,14}$/.test(visit.field('asked_at'))
        ? new Date(Number(visit.field('asked_at')))
        : null;
      return askedAt === null
        ? actOn(visit, dependencies, 'asked', () => askWallet(acting(visit), by, named))
        : actOn(visit, dependencies, 'released', () => releaseWallet(acting(visit), by, named, askedAt));
    },
  },
  {
    name: 'decide sale',
    method: 'post',
    path: `${PAYMENT}/sale`,
    access: 'member',
    right: 'refunds:write',
    perMinute: DESK_PER_MINUTE,
    handle: (visit) => decide(visit, dependencies),
  },
  ...(dependencies.sandbox === null ? [] : [simulateRoute(dependencies, dependencies.sandbox)]),
];

/** What waits to be sold for a payment is tried again, or stays as it came. */
async function decide(visit: AtMerchant, dependencies: PaymentDependencies): Promise<DeskReply> {
  const { ctx, merchant, field, texts } = visit;
  const { id } = await readPayment(ctx.db, merchant.merchant_id, paymentIdOf(visit));
  const decision = (['retry', 'as_received'] as const).find((one) => one === field('decision'));
  const count = decision === undefined ? 0 : await decideSale(acting(visit), id, decision);
  return count === 0
    ? showPayment(visit, dependencies, texts.payments.faults.saleOver)
    : { to: `${paymentPath(visit)}?said=decided` };
}

const simulateRoute = (dependencies: PaymentDependencies, sandbox: Sandbox): DeskRoute => ({
  name: 'simulate customer',
  method: 'post',
  path: `${PAYMENT}/simulate`,
  access: 'member',
  right: 'sandbox:write',
  perMinute: DESK_PER_MINUTE,
  handle: (visit) => simulate(visit, dependencies, sandbox),
});

async function simulate(
  visit: AtMerchant,
  dependencies: PaymentDependencies,
  sandbox: Sandbox,
): Promise<DeskReply> {
  const { ctx, merchant } = visit;
  const { token_id } = await readPayment(ctx.db, merchant.merchant_id, paymentIdOf(visit));
  const result = await simulateByToken(ctx, sandbox, token_id, visit.field('do'));
  if (result === 'missing') return 'missing';
  if (result !== 'done') return showPayment(visit, dependencies, visit.texts.payments.faults[result]);
  return { to: `${paymentPath(visit)}?said=simulated` };
}
