import { html, type Html } from '../../../platform/pages/html.ts';
import { table } from '../shell/fields.ts';
import type { DeskTexts } from '../shell/texts.ts';
import { dayText } from './formats.ts';

/** A day in a chart: how high its bar is, 0 to 1, and what a pointer on it reads. */
export interface Bar {
  readonly date: string;
  readonly height: number;
  readonly text: string;
}

export interface Chart {
  /** Unique on the page. */
  readonly id: string;
  readonly title: string;
  /** What the whole range says, in large. */
  readonly total: string;
  /** Read out in the place of the bars; seen beneath the total. */
  readonly about: string;
  readonly bars: readonly Bar[];
  /** What the highest bar is; null: there is none. */
  readonly highest: string | null;
  readonly heads: readonly string[];
  /** Of the days, newest first. */
  readonly rows: readonly (readonly Html[])[];
}

/** A chart of days as bars, with its table behind: it needs no script, and has the colours of the page. */
export function chart(texts: DeskTexts, { id, title, total, about, ...shown }: Chart): Html {
  const { bars, highest, heads, rows } = shown;
  const [first, last] = [bars[0], bars.at(-1)];
  return html`<figure class="card chart">
    <figcaption>
      <h3 id="${id}">${title}</h3>
      <p class="total"><bdi>${total}</bdi></p>
      <p class="small">${about}</p>
    </figcaption>
    <div class="plot">
      <p class="small highest">${highest}</p>
      ${barsOf(id, `${title}: ${total}`, about, bars)}
      <p class="small ends">
        <span>${first === undefined ? null : dayText(texts, first.date)}</span>
        <span>${last === undefined ? null : dayText(texts, last.date)}</span>
      </p>
    </div>
    <details>
      <summary>${texts.home.asTable}</summary>
      ${table(title, heads, rows)}
    </details>
  </figure>`;
}

/** Units of the drawing: it is stretched to the width of its place. */
const [BAR, GAP, HEIGHT] = [8, 2, 100];
/** What is not nothing can be seen. */
const LEAST = 2;

function barsOf(id: string, title: string, about: string, bars: readonly Bar[]): Html {
  const width = bars.length * (BAR + GAP);
  const drawn = bars.map(({ date, height, text }, i) => {
    const high = height === 0 ? 0 : Math.max(LEAST, Math.round(height * HEIGHT));
    const x = i * (BAR + GAP) + GAP / 2;
    return html`<g>
      <title>${text}</title>
      <rect
        class="day"
        x="${i * (BAR + GAP)}"
        y="0"
        width="${BAR + GAP}"
        height="${HEIGHT}"
        data-date="${date}"
      />
      <rect class="bar-of" x="${x}" y="${HEIGHT - high}" width="${BAR}" height="${high}" />
    </g>`;
  });
  return html`<svg
    role="img"
    aria-labelledby="${id}-title ${id}-about"
    viewBox="0 0 ${width} ${HEIGHT}"
    preserveAspectRatio="none"
  >
    <title id="${id}-title">${title}</title>
    <desc id="${id}-about">${about}</desc>
    ${drawn}
  </svg>`;
}
