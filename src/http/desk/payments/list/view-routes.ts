import { deleteView, keepView, renameView, type ViewFault } from '../../../../domain/people/views/store.ts';
import { DESK_PER_MINUTE, type AtMerchant, type DeskReply, type DeskRoute } from '../../shell/route.ts';
import { paymentsPath } from '../page/own.ts';
import { filtersOf, listQueryOf } from './filters.ts';
import { listPage } from './list-page.ts';
import { zoneOf } from './range.ts';
import { keeperOf, viewsCard } from './views.ts';

const VIEWS = '/dashboard/:merchant/payments/views';
/** They are the person's own: who may read payments may keep one. */
const OF_VIEWS = { right: 'payments:read', perMinute: DESK_PER_MINUTE } as const;

/** Named filters of payments, each person's own. */
export const viewRoutes: readonly DeskRoute[] = [
  {
    name: 'keep view',
    path: VIEWS,
    method: 'post',
    access: 'member',
    ...OF_VIEWS,
    async handle(visit) {
      const query = new URLSearchParams(visit.field('filters'));
      const filters = filtersOf(query).toString();
      listQueryOf(new URLSearchParams(filters), 'UTC');
      const fault = await keepView(visit.ctx.db, keeperOf(visit), { name: visit.field('name'), filters });
      return fault === null ? { to: `${paymentsPath(visit)}?${filters}` } : refused(visit, fault);
    },
  },
  {
    name: 'rename view',
    path: `${VIEWS}/:view/rename`,
    method: 'post',
    access: 'member',
    ...OF_VIEWS,
    async handle(visit) {
      const { ctx, params } = visit;
      const fault = await renameView(ctx.db, keeperOf(visit), params.view ?? '', visit.field('name'));
      if (fault === 'missing') return 'missing';
      return fault === null ? { to: paymentsPath(visit) } : refused(visit, fault);
    },
  },
  {
    name: 'delete view',
    path: `${VIEWS}/:view/delete`,
    method: 'post',
    access: 'member',
    ...OF_VIEWS,
    async handle(visit) {
      const isDeleted = await deleteView(visit.ctx.db, keeperOf(visit), visit.params.view ?? '');
      return isDeleted ? { to: paymentsPath(visit) } : 'missing';
    },
  },
];

async function refused(visit: AtMerchant, fault: ViewFault): Promise<DeskReply> {
  const zone = await zoneOf(visit);
  return listPage(visit, {
    zone,
    fault: visit.texts.payments.viewFaults[fault],
    views: await viewsCard(visit),
  });
}
