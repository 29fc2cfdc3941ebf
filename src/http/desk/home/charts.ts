import { SETTLE_BOUNDS } from '../../../domain/overview/counts/settle-times.ts';
import { fillPlain, html, type Html } from '../../../platform/pages/html.ts';
import type { DeskTexts } from '../shell/texts.ts';
import { chart, type Bar } from './chart.ts';
import type { DayFigures, RangeFigures } from './figures.ts';
import { count, day, dayText, decimal, percent, within } from './formats.ts';

/** The charts of a range: volume of each coin, conversion from created to settled, and time to settle. */
export function charts(texts: DeskTexts, figures: RangeFigures): Html[] {
  return [
    ...figures.coins.map((coin) => volumeChart(texts, figures, coin)),
    conversionChart(texts, figures),
    timeChart(texts, figures),
  ];
}

/** A bar of each day, whose text is the day with what it says. */
function barsOf(
  texts: DeskTexts,
  { days }: RangeFigures,
  { height, text }: { height: (one: DayFigures) => number; text: (one: DayFigures) => string },
): Bar[] {
  return days.map((one) => ({
    date: one.date,
    height: height(one),
    text: `${dayText(texts, one.date)}: ${text(one)}`,
  }));
}

/** The rows of a table, newest day first. */
const rowsOf = (texts: DeskTexts, { days }: RangeFigures, cells: (one: DayFigures) => readonly string[]) =>
  days.toReversed().map((one) => [day(texts, one.date), ...cells(one).map((cell) => html`${cell}`)]);

function volumeChart(texts: DeskTexts, figures: RangeFigures, coin: string): Html {
  const { home } = texts;
  const amountOf = ({ volumes }: Pick<DayFigures, 'volumes'>) => volumes.get(coin)?.amount ?? '0';
  const said = (amount: string) => `${decimal(texts, amount)} ${coin}`;
  // Heights alone are floats.
  const highest = figures.days.reduce((most, one) => Math.max(most, Number(amountOf(one))), 0);
  const top = figures.days.find((one) => Number(amountOf(one)) === highest);
  return chart(texts, {
    id: `volume-${coin}`,
    title: fillPlain(home.volume.title, { coin }),
    total: said(amountOf(figures.all)),
    about: home.volume.about,
    bars: barsOf(texts, figures, {
      height: (one) => (highest === 0 ? 0 : Number(amountOf(one)) / highest),
      text: (one) => said(amountOf(one)),
    }),
    highest: top === undefined ? null : said(amountOf(top)),
    heads: [home.columns.day, home.columns.settled, home.columns.volume],
    rows: rowsOf(texts, figures, (one) => [
      count(texts, one.volumes.get(coin)?.settled ?? 0),
      said(amountOf(one)),
    ]),
  });
}

function conversionChart(texts: DeskTexts, figures: RangeFigures): Html {
  const { home } = texts;
  const shareOf = ({ created, createdSettled }: Pick<DayFigures, 'created' | 'createdSettled'>) =>
    created === 0 ? null : createdSettled / created;
  const said = ({ created, createdSettled }: Parameters<typeof shareOf>[0]) =>
    created === 0 ? home.units.none : percent(texts, createdSettled, created);
  return chart(texts, {
    id: 'conversion',
    title: home.conversion.title,
    total: said(figures.all),
    about: fillPlain(home.conversion.about, {
      created: count(texts, figures.all.created),
      settled: count(texts, figures.all.createdSettled),
    }),
    bars: barsOf(texts, figures, { height: (one) => shareOf(one) ?? 0, text: said }),
    highest: percent(texts, 1, 1),
    heads: [home.columns.day, home.columns.created, home.columns.settled, home.columns.share],
    rows: rowsOf(texts, figures, (one) => [
      count(texts, one.created),
      count(texts, one.createdSettled),
      said(one),
    ]),
  });
}

function timeChart(texts: DeskTexts, figures: RangeFigures): Html {
  const { home } = texts;
  // By the place among the bounds, each some 1.4 times the one before: of minutes and days both can be seen.
  const stepOf = ({ half }: Pick<DayFigures, 'half'>) => {
    const at = SETTLE_BOUNDS.findIndex((bound) => bound === half?.withinSeconds);
    if (half === null) return 0;
    return at === -1 ? SETTLE_BOUNDS.length + 1 : at + 1;
  };
  const highest = figures.days.reduce((most, one) => Math.max(most, stepOf(one)), 0);
  const top = figures.days.find((one) => stepOf(one) === highest);
  return chart(texts, {
    id: 'time',
    title: home.time.title,
    total: within(texts, figures.all.half),
    about: home.time.about,
    bars: barsOf(texts, figures, {
      height: (one) => (highest === 0 ? 0 : stepOf(one) / highest),
      text: ({ half }) => within(texts, half),
    }),
    highest: highest === 0 || top === undefined ? null : within(texts, top.half),
    heads: [home.columns.day, home.columns.settled, home.columns.half],
    rows: rowsOf(texts, figures, ({ settled, half }) => [count(texts, settled), within(texts, half)]),
  });
}
