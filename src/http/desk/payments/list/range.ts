import { readSettings } from '../../../../domain/merchants/store.ts';
import { lastDays } from '../../../../domain/overview/days.ts';
import type { Html } from '../../../../platform/pages/html.ts';
import type { AtMerchant } from '../../shell/route.ts';
import { paymentsPath } from '../page/own.ts';
import { filtersOf, RANGES, type Range } from './filters.ts';
import { choiceLinks } from '../../shell/choices.ts';

/** The longest month: all of this one are among so many days. */
const DAYS = { today: 1, '7': 7, '30': 30, month: 31 } as const satisfies Record<Range, number>;

/** The time zone whose days the merchant's are. */
export async function zoneOf({ ctx, merchant }: AtMerchant): Promise<string> {
  return (await readSettings(ctx.db, merchant.merchant_id))?.time_zone ?? 'UTC';
}

/** The first moment of the range that was asked for, in the merchant's time zone; null: none was. */
export function sinceOf({ ctx, query }: AtMerchant, zone: string): Date | null {
  const asked = filtersOf(query).get('range');
  const range = RANGES.find((one) => one === asked);
  if (range === undefined) return null;
  const days = lastDays(zone, DAYS[range], ctx.now());
  const month = days.at(-1)?.date.slice(0, 7) ?? '';
  const shown = range === 'month' ? days.filter(({ date }) => date.startsWith(month)) : days;
  return shown[0]?.from ?? null;
}

/** Links to the days that are asked for most, in the place of others, beside all other filters. */
export function rangeLinks(visit: AtMerchant): Html {
  const { payments } = visit.texts;
  const filters = filtersOf(visit.query);
  // A search is of all days, whatever stands beside it.
  const isSearch = visit.query.has('q');
  const shown = isSearch ? null : filters.get('range');
  const isAny = !isSearch && !['range', 'from_date', 'to_date'].some((name) => filters.has(name));
  const links = (['any', ...RANGES] as const).map((range) => {
    const to = new URLSearchParams(filters);
    for (const name of ['range', 'from_date', 'to_date']) to.delete(name);
    if (range !== 'any') to.set('range', range);
    return {
      to: `${paymentsPath(visit)}?${to.toString()}`,
      text: payments.ranges[range],
      isShown: range === shown || (range === 'any' && isAny),
    };
  });
  return choiceLinks(payments.rangesName, links);
}
