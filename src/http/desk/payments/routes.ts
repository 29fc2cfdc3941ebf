import { ValidationError } from '../../../domain/api/errors.ts';
import { listPayments } from '../../../domain/payments/list.ts';
import { searchPayments } from '../../../domain/payments/search.ts';
import { LargeMerchants } from '../../../domain/payments/totals.ts';
import { readCurrent } from '../../../platform/replica.ts';
import { DESK_PER_MINUTE, type AtMerchant, type DeskRoute, type Page } from '../shell/route.ts';
import { refundRoutes } from './actions/refund-routes.ts';
import { actionRoutes } from './actions/routes.ts';
import { listQueryOf } from './list/filters.ts';
import { listPage, type ShownList } from './list/list-page.ts';
import { sinceOf, zoneOf } from './list/range.ts';
import { viewRoutes } from './list/view-routes.ts';
import { viewsCard } from './list/views.ts';
import type { PaymentDependencies } from './page/own.ts';
import { showPayment } from './page/show.ts';

/**
 * The payments of a merchant: the list of the API with its filters and a search, and each payment with all
 * that happened, and what people do with it.
 */
export const paymentRoutes = (
  dependencies: PaymentDependencies,
  many = new LargeMerchants(),
): readonly DeskRoute[] => [
  {
    name: 'payments',
    method: 'get',
    path: '/dashboard/:merchant/payments',
    access: 'member',
    right: 'payments:read',
    perMinute: DESK_PER_MINUTE,
    handle: async (visit) => showList(visit, many),
  },
  ...viewRoutes,
  {
    name: 'payment',
    method: 'get',
    path: '/dashboard/:merchant/payments/:payment',
    access: 'member',
    right: 'payments:read',
    perMinute: DESK_PER_MINUTE,
    handle: (visit) => showPayment(visit, dependencies),
  },
  ...refundRoutes(dependencies),
  ...actionRoutes(dependencies),
];

async function showList(visit: AtMerchant, many: LargeMerchants): Promise<Page> {
  const zone = await zoneOf(visit);
  return listPage(visit, { zone, ...(await readList(visit, zone, many)), views: await viewsCard(visit) });
}

/** Filters do not narrow a search: what they leave out would have to be read all the same. */
async function readList(
  visit: AtMerchant,
  zone: string,
  many: LargeMerchants,
): Promise<Pick<ShownList, 'list' | 'search' | 'fault'>> {
  const { ctx, merchant, query } = visit;
  const { publicUrl } = ctx.config;
  const asked = (query.get('q') ?? '').trim();
  if (asked !== '')
    return readCurrent(ctx, async (db) => ({
      search: await searchPayments(db, merchant.merchant_id, asked, publicUrl),
    }));
  try {
    const filters = listQueryOf(query, zone, sinceOf(visit, zone));
    return await readCurrent(ctx, async (db) => ({
      list: await listPayments(db, merchant.merchant_id, filters, publicUrl, many),
    }));
  } catch (error) {
    if (error instanceof ValidationError) return { fault: error.message };
    throw error;
  }
}
