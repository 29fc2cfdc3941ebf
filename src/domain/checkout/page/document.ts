import { readAsset } from './assets.ts';
import { html, type Html } from './html.ts';
import { ALL_LANGUAGES, type Language } from '../../languages/languages.ts';

const STYLE = readAsset('style', 'checkout.css');
const SCRIPT = readAsset('script', 'checkout.js');

/**
 * CSP allows the one style sheet and the one script by their hashes, nothing from another origin, and no
 * frame around the page.
 */
export const PAGE_CSP = [
  "default-src 'none'",
  `style-src ${STYLE.source}`,
  `script-src ${SCRIPT.source}`,
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** What the document gives its script: where to listen, where to ask, and what the page shows. */
export interface Liveness {
  readonly eventsPath: string;
  readonly statusPath: string;
  readonly version: string;
  readonly isLive: boolean;
}

export interface DocumentContent {
  readonly language: Language;
  readonly title: string;
  readonly main: Html;
  /** Seconds after which the page loads itself again without a script; null: never. */
  readonly refreshSeconds: number | null;
  /** From where. A page that a form has opened at a `#` would only scroll to it. */
  readonly refreshTo?: string;
  /** Null: the page has no script. */
  readonly live: Liveness | null;
}

/** A whole document around `main`. */
export function document(content: DocumentContent): string {
  const { language, title, main, live } = content;
  return html`<!doctype html>
<html lang="${language.id}" dir="${language.direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${withoutDirectionMarks(title)}</title>
${refresh(content)}
${STYLE.element}
</head>
<body${live === null ? null : dataOf(live)}>
${main}
<footer>${languageLinks(language)}</footer>
${live === null ? null : SCRIPT.element}
</body>
</html>
`.markup;
}

function dataOf({ eventsPath, statusPath, version, isLive }: Liveness): Html {
  const paths = html` data-events="${eventsPath}" data-status="${statusPath}"`;
  return html`${paths} data-version="${version}" data-live="${String(isLive)}"`;
}

/** With a script the page updates in place; a reload would interrupt a screen reader. */
function refresh({ refreshSeconds, refreshTo, live }: DocumentContent): Html | null {
  if (refreshSeconds === null) return null;
  const where = refreshTo === undefined ? null : html`;url=${refreshTo}`;
  const meta = html`<meta http-equiv="refresh" content="${refreshSeconds}${where}" />`;
  return live === null ? meta : html`<noscript>${meta}</noscript>`;
}

/** A title has no elements that could isolate direction marks. */
function withoutDirectionMarks(title: string): string {
  return title.replaceAll(/[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g, '');
}

function languageLinks(current: Language): Html {
  const items = ALL_LANGUAGES.map(({ id, name }) =>
    id === current.id
      ? html`<li><span aria-current="true" lang="${id}">${name}</span></li>`
      : html`<li><a href="?lang=${id}" lang="${id}" hreflang="${id}">${name}</a></li>`,
  );
  return html`<nav aria-label="${current.page.language}">
    <ul>
      ${items}
    </ul>
  </nav>`;
}
