import { dateIn } from '../../../domain/overview/days.ts';
import { exportRows } from '../../../domain/exports/rows.ts';
import { worthOf } from '../../../domain/exports/worth.ts';
import { filtersOf } from '../payments/list/filters.ts';
import { sinceOf, zoneOf } from '../payments/list/range.ts';
import {
  COSTLY_PER_MINUTE,
  DESK_PER_MINUTE,
  type AtMerchant,
  type DeskReply,
  type DeskRoute,
} from '../shell/route.ts';
import { readAsked, type Asked } from './ask.ts';
import { fileReply } from './file-reply.ts';
import { exportPage } from './page.ts';
import type { ExportSlots } from './slots.ts';

const EXPORTS = '/dashboard/:merchant/exports';

/** Files of a merchant's payments and of what moved with them. */
export const exportRoutes = (slots: ExportSlots): readonly DeskRoute[] => [
  {
    name: 'exports',
    method: 'get',
    path: EXPORTS,
    access: 'member',
    right: 'payments:read',
    perMinute: DESK_PER_MINUTE,
    handle: (visit) => showOrPin(visit),
  },
  {
    name: 'export',
    method: 'post',
    path: EXPORTS,
    access: 'member',
    right: 'payments:read',
    isRead: true,
    perMinute: COSTLY_PER_MINUTE,
    async handle(visit) {
      const zone = await zoneOf(visit);
      const asked = await readAsked(visit, zone);
      if (typeof asked === 'string') return show(visit, visit.texts.exports[asked], 400);
      return (await download(visit, { asked, zone }, slots)) ?? show(visit, visit.texts.exports.busy, 429);
    },
  },
];

/** Days that move on become the moment they begin with: a cut file goes on tomorrow, in the same list. */
async function showOrPin(visit: AtMerchant): Promise<DeskReply> {
  const filters = filtersOf(visit.query);
  const since = sinceOf(visit, await zoneOf(visit));
  if (since === null) return show(visit);
  filters.delete('range');
  filters.set('from_date', since.toISOString());
  return { to: `${visit.path}?${filters.toString()}` };
}

async function show(visit: AtMerchant, fault: string | null = null, status = 200): Promise<DeskReply> {
  const { ctx, merchant } = visit;
  const { currency } = await worthOf(ctx.db, ctx.config, merchant.merchant_id, null);
  return exportPage(visit, { currency, zone: await zoneOf(visit), fault, status });
}

function download(
  visit: AtMerchant,
  { asked, zone }: { readonly asked: Asked; readonly zone: string },
  slots: ExportSlots,
): Promise<DeskReply | null> {
  const { kind, format, currency, from, to, after, orderId, statuses } = asked;
  const cursor = after === null ? null : visit.field('after').trim();
  const dateAt = dateIn(zone);
  const days = [from, new Date(to.getTime() - 1)].map((day) => (day === null ? 'begin' : dateAt(day)));
  const filters = {
    ...(orderId === undefined ? {} : { order_id: orderId }),
    ...(statuses === undefined ? {} : { status: statuses }),
  };
  const isFiltered = Object.keys(filters).length > 0;
  return fileReply(visit, slots, {
    name: [kind, ...(isFiltered ? ['filtered'] : []), ...days].join('-'),
    format,
    right: 'payments:read',
    details: { kind, format, currency, from, to, ...filters, after: cursor },
    pages: exportRows(visit.ctx, kind, { ...asked, merchantId: visit.merchant.merchant_id }),
    isContinued: after !== null,
  });
}
