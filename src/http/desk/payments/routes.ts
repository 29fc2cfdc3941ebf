import { ApiError, ValidationError } from '../../../domain/api/errors.ts';
import { getValidator } from '../../../domain/api/validator.ts';
import { listPayments } from '../../../domain/payments/list.ts';
import { ListPaymentsQuery, toResource, type PaymentList } from '../../../domain/payments/schemas.ts';
import { readPayment } from '../../../domain/payments/read.ts';
import { LargeMerchants } from '../../../domain/payments/totals.ts';
import { readCurrent } from '../../../platform/replica.ts';
import { DESK_PER_MINUTE, type AtMerchant, type DeskRoute } from '../shell/route.ts';
import { FILTERS, listPage } from './list-page.ts';
import { paymentPage } from './payment-page.ts';
import { readTimeline } from './timeline.ts';

const check = getValidator({ allowPrivate: false }).compile(ListPaymentsQuery, 'query');

/** The payments of a merchant: the list of the API with its filters, and each with all that happened. */
export const paymentRoutes = (many = new LargeMerchants()): readonly DeskRoute[] => [
  {
    name: 'payments',
    method: 'get',
    path: '/dashboard/:merchant/payments',
    access: 'member',
    right: 'payments:read',
    perMinute: DESK_PER_MINUTE,
    async handle(visit) {
      try {
        return listPage(visit, await readList(visit, many), null);
      } catch (error) {
        if (error instanceof ValidationError) return listPage(visit, null, error.message);
        throw error;
      }
    },
  },
  {
    name: 'payment',
    method: 'get',
    path: '/dashboard/:merchant/payments/:payment',
    access: 'member',
    right: 'payments:read',
    perMinute: DESK_PER_MINUTE,
    async handle(visit) {
      const { ctx, merchant, params } = visit;
      try {
        const row = await readPayment(ctx.db, merchant.merchant_id, params.payment ?? '');
        const payment = toResource(row, ctx.config.publicUrl);
        return paymentPage(visit, payment, await readTimeline(visit, payment));
      } catch (error) {
        if (error instanceof ApiError && error.code === 'payment_not_found') return 'missing';
        throw error;
      }
    },
  },
];

/** A form sends its empty fields too. */
function readList({ ctx, merchant, query }: AtMerchant, many: LargeMerchants): Promise<PaymentList> {
  const given = [...FILTERS, 'cursor'].flatMap((name) => {
    const value = (query.get(name) ?? '').trim();
    return value === '' ? [] : [[name, name === 'status' ? [value] : value] as const];
  });
  const asked = check(Object.fromEntries(given));
  return readCurrent(ctx, (db) => listPayments(db, merchant.merchant_id, asked, ctx.config.publicUrl, many));
}
