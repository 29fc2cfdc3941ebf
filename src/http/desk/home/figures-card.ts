import { readCounts } from '../../../domain/overview/counts/read.ts';
import { lastDays } from '../../../domain/overview/days.ts';
import { fillPlain, html, type Html } from '../../../platform/pages/html.ts';
import type { AtMerchant } from '../shell/route.ts';
import { charts } from './charts.ts';
import { figuresOf } from './figures.ts';
import { choiceLinks } from '../shell/choices.ts';

/** The ranges of the charts, in days. */
const RANGES = [7, 30, 90] as const;
const DEFAULT_RANGE = 30;

/** The charts of the range that the address names, by day in the merchant's time zone. */
export async function figuresCard(visit: AtMerchant, timeZone: string): Promise<Html> {
  const { ctx, merchant, texts, query } = visit;
  const { home } = texts;
  const range = RANGES.find((days) => String(days) === query.get('days')) ?? DEFAULT_RANGE;
  const days = lastDays(timeZone, range, ctx.now());
  const bounds = [...days.slice(0, 1).map(({ from }) => from), ...days.map(({ until }) => until)];
  const counts = await readCounts(ctx, merchant.merchant_id, bounds);
  return html`<section aria-labelledby="figures" class="figures">
    <div class="row">
      <h2 id="figures">${home.figuresTitle}</h2>
      ${rangeLinks(visit, range)}
    </div>
    <p class="small">${fillPlain(home.days, { zone: timeZone })}</p>
    ${counts.isWhole ? null : html`<p class="said" role="status">${home.partial}</p>`}
    <div class="charts">${charts(texts, figuresOf(days, counts))}</div>
  </section>`;
}

function rangeLinks({ texts: { home }, path }: AtMerchant, range: number): Html {
  const links = RANGES.map((days) => ({
    to: `${path}?days=${days}`,
    text: fillPlain(home.range, { count: String(days) }),
    isShown: days === range,
  }));
  return choiceLinks(home.ranges, links);
}
