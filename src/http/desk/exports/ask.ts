import { dateRange } from '../../../domain/api/date-range.ts';
import { dayOf } from '../../../domain/overview/days.ts';
import { ValidationError } from '../../../domain/api/errors.ts';
import { isCurrency, type CurrencyId } from '../../../domain/chain/currencies.ts';
import { EXPORT_FORMATS, type ExportFormat } from '../../../domain/exports/file.ts';
import type { ExportFilter } from '../../../domain/exports/found.ts';
import { findCursor, type ExportCursor } from '../../../domain/exports/rows.ts';
import { addSeconds } from '../../../platform/clock.ts';
import { filtersOf, listQueryOf } from '../payments/list/filters.ts';
import type { AtMerchant } from '../shell/route.ts';
import type { DeskTexts } from '../shell/texts.ts';

/** The kinds that people download; operators export more. */
export const KINDS = ['payments', 'transfers', 'refunds', 'ledger'] as const;

/** An export as a form asks for it. */
export interface Asked extends ExportFilter {
  readonly kind: (typeof KINDS)[number];
  readonly format: ExportFormat;
  readonly currency: CurrencyId;
  readonly from: Date | null;
  /** The first moment that is left out. */
  readonly to: Date;
  readonly after: ExportCursor | null;
}

export type Fault = keyof DeskTexts['exports'] & `bad${string}`;

/** A transaction that creates a payment has long ended: none of before can still appear. */
const SETTLED_SECONDS = 30;

/** Reads the form, with days of `zone`; returns the name of a text that says what is wrong with it. */
export async function readAsked({ ctx, merchant, field }: AtMerchant, zone: string): Promise<Asked | Fault> {
  const kind = KINDS.find((one) => one === field('kind'));
  const format = EXPORT_FORMATS.find((one) => one === field('format'));
  const currency = field('currency');
  if (kind === undefined || format === undefined || !isCurrency(currency)) return 'badChoice';
  const asked = wantedOf(field, zone);
  if (typeof asked === 'string') return asked;
  const cursor = field('after').trim();
  const after = cursor === '' ? null : await findCursor(ctx, merchant.merchant_id, cursor);
  if (cursor !== '' && after === null) return 'badCursor';
  const settled = addSeconds(ctx.now(), -SETTLED_SECONDS);
  const to = asked.until === null || asked.until > settled ? settled : asked.until;
  return { kind, format, currency, ...asked, to, after };
}

interface Wanted extends ExportFilter {
  readonly from: Date | null;
  readonly until: Date | null;
}

/** The payments that a form asks for: those of a list of payments, by its filters, or of some days. */
function wantedOf(field: AtMerchant['field'], zone: string): Wanted | Fault {
  const filters = filtersOf(new URLSearchParams(field('filters')));
  if (filters.size > 0) return filteredBy(filters, zone);
  const [first, last] = [field('from'), field('to')];
  const [from, to] = [dayOf(zone, first), dayOf(zone, last)];
  if ((first !== '' && from === null) || (last !== '' && to === null)) return 'badDay';
  if (from !== null && to !== null && from.date > to.date) return 'badOrder';
  return { from: from?.from ?? null, until: to?.until ?? null };
}

/** A range is none of them: its days move on, and what goes on tomorrow would begin at others. */
function filteredBy(filters: URLSearchParams, zone: string): Wanted | Fault {
  if (filters.has('range')) return 'badFilters';
  try {
    const query = listQueryOf(filters, zone);
    const [from, until] = dateRange(query);
    return { from, until, orderId: query.order_id, statuses: query.status };
  } catch (error) {
    if (error instanceof ValidationError) return 'badFilters';
    throw error;
  }
}
