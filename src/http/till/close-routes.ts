import { closeTill, findClose, listCloses } from '../../domain/tills/close.ts';
import { listSalesOfClose } from '../../domain/tills/sales.ts';
import { countLeft, totalsSince } from '../../domain/tills/totals.ts';
import { closedPage, closePage, closePath, LISTED_SALES } from './close-pages.ts';
import { numberOf, type TillReply, type TillRoute, type TillVisit } from './route.ts';

const PER_MINUTE = 60;
const SHOWN_CLOSES = 10;

/** The day's close of a till, and those before. */
export const closeRoutes: readonly TillRoute[] = [
  {
    name: 'close page',
    method: 'get',
    path: '/till/close',
    perMinute: PER_MINUTE,
    handle: (visit) => showClose(visit, false),
  },
  {
    name: 'close',
    method: 'post',
    path: '/till/close',
    perMinute: PER_MINUTE,
    async handle(visit) {
      const { ctx, till, field } = visit;
      const number = numberOf(field('number'));
      const closed = number === null ? null : await closeTill(ctx, till, { number, by: field('by') });
      return closed === null ? showClose(visit, true) : { to: closePath(closed) };
    },
  },
  {
    name: 'closed page',
    method: 'get',
    path: '/till/closes/:number',
    perMinute: PER_MINUTE,
    async handle({ ctx, till, params }) {
      const number = numberOf(params.number);
      const close = number === null ? null : await findClose(ctx.db, till.id, number);
      if (close === null || number === null) return 'missing';
      const sales = await listSalesOfClose(ctx.db, till.id, { number, limit: LISTED_SALES + 1 });
      return closedPage(till, close, sales);
    },
  },
];

async function showClose({ ctx, till }: TillVisit, isStale: boolean): Promise<TillReply> {
  const [totals, left, closes] = await Promise.all([
    totalsSince(ctx.db, till.id),
    countLeft(ctx.db, till.id),
    listCloses(ctx.db, till.id, SHOWN_CLOSES),
  ]);
  return closePage(till, { totals, left, closes }, isStale);
}
