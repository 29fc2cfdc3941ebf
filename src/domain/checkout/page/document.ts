import { createHash } from 'node:crypto';
import { inline, type Inline } from '../../../platform/pages/assets.ts';
import { readAsset } from './assets.ts';
import { html, type Html } from '../../../platform/pages/html.ts';
import { ICON } from '../markup/icons.ts';
import { ALL_LANGUAGES, type Language } from '../../languages/languages.ts';

const LATER = readAsset('later');
const SCRIPT = readAsset('script').replace(`'LATER_STYLE'`, () => JSON.stringify(LATER));

/**
 * The page's script, outside the page: one round trip shows the page, and a browser loads the script once.
 * Its path changes with its content, so every copy of it stays right.
 */
export const PAGE_SCRIPT = {
  path: `/checkout/assets/${createHash('sha256').update(SCRIPT).digest('hex').slice(0, 20)}.js`,
  content: SCRIPT,
} as const;

const STYLE = inline('style', readAsset('style'));
const LATER_STYLE = inline('style', LATER);
const BOOT = inline('script', readAsset('boot').replace('SCRIPT_PATH', PAGE_SCRIPT.path));

/**
 * The Content-Security-Policy of a page with a style of its own (`extra`), which pages of `embedders` may
 * show in a frame, and nobody else. CSP allows the style sheets and the one inline script by their hashes,
 * the script that this one loads, and our images; nothing from another origin. `data:` is for the icons of
 * wallets in the browser, which run no script as images. A browser that knows `strict-dynamic` ignores
 * `self`, which serves older ones: a script in injected markup stays refused.
 */
export function pageCsp(extra: Inline | null, embedders: readonly string[], script = BOOT): string {
  return [
    "default-src 'none'",
    `style-src ${[STYLE, LATER_STYLE, extra].flatMap((style) => style?.source ?? []).join(' ')}`,
    `script-src ${script.source} 'strict-dynamic' 'self'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    `frame-ancestors ${embedders.length === 0 ? "'none'" : embedders.join(' ')}`,
  ].join('; ');
}

/** Of every response without a style of its own, and without a merchant. */
export const PAGE_CSP = pageCsp(null, []);

/** Tells the shop's page around a frame that a message is shown there: it has no state to send. */
const SHOWN = inline('script', "parent!==self&&parent.postMessage({type:'checkout.shown'},'*')");

/** The policy of a page without a payment that pages of `embedders` may show: it says that it is shown. */
export const shownCsp = (extra: Inline | null, embedders: readonly string[]): string =>
  embedders.length === 0 ? pageCsp(extra, []) : pageCsp(extra, embedders, SHOWN);

/**
 * Of messages that pass, such as that of a maintenance: a modal of any shop shows them, because they stand
 * for a page of which nobody knows the merchant then. They hold nothing of a payment, and have no forms.
 */
export const PASSING_CSP = pageCsp(null, ['*'], SHOWN);

/** What the document gives its script: where to listen, where to ask, and what the page shows. */
export interface Liveness {
  readonly eventsPath: string;
  readonly statusPath: string;
  /** Where the page itself is, also when a form's response shows it. */
  readonly pagePath: string;
  /** The origins whose pages may show the page in a frame: its script sends messages to no others. */
  readonly embedders: readonly string[];
  readonly shown: Shown;
}

/** What changes with the payment. */
export interface Shown {
  readonly version: string;
  readonly isLive: boolean;
  /** The state, and what is unusual about it: a change of it is announced. */
  readonly state: string;
  /** Something is to be paid by a code: it stands beside the amount, where there is room. */
  readonly hasCode: boolean;
  /** Classes of the state. */
  readonly tone: string;
}

export interface DocumentContent {
  readonly language: Language;
  readonly title: string;
  readonly main: Html;
  /** A style of the page's own; its response needs its policy (`pageCsp`). */
  readonly style?: Inline | null;
  /** The script brings the style of later states. */
  readonly isFirst?: boolean;
  /** The path of the page's icon, where it is not the service's own. */
  readonly icon?: string | null;
  /** Seconds after which the page loads itself again without a script; null: never. */
  readonly refreshSeconds: number | null;
  /** From where. A page that a form has opened at a `#` would only scroll to it. */
  readonly refreshTo?: string;
  /** Without a script: the link that ends the reloading, or reloads once. */
  readonly reloading?: { readonly path: string; readonly text: string } | null;
  /** The path of the links to other languages, where it is not the document's own. */
  readonly languagesAt?: string;
  /** Null: a message. */
  readonly live: Liveness | null;
  /** Pages of a shop may show it in a frame (`shownCsp`): it tells them that it is there. */
  readonly isFramed?: boolean;
}

/** A whole document around `main`. */
export function document(content: DocumentContent): string {
  const { language, title, main, live } = content;
  return withoutIndentation(
    html`<!doctype html>
<html lang="${language.id}" dir="${language.direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${withoutDirectionMarks(title)}</title>
<link rel="icon" href="${content.icon ?? ICON.path}">
${refresh(content)}
${STYLE.element}${content.isFirst === true ? null : LATER_STYLE.element}
${content.style?.element ?? null}
</head>
<body${live === null ? null : dataOf(live, content)}>
${main}
<footer>${reloading(content)}${languageLinks(language, content.languagesAt ?? '')}</footer>
${scriptOf(content)?.element ?? null}
</body>
</html>
`.markup,
  );
}

/** Text of a merchant keeps its line breaks; what a browser shows of the space behind them is nothing. */
function withoutIndentation(markup: string): string {
  return markup.replaceAll(/\n[ \t\n]+/g, '\n');
}

/** Components of the page that differ from those that are shown, as a document for the script. */
export function changes(title: string, shown: Shown, components: Html): string {
  return withoutIndentation(
    html`<!doctype html><title>${withoutDirectionMarks(title)}</title><body${dataOfShown(shown)}>${components}`
      .markup,
  );
}

function dataOf(live: Liveness, { language, refreshSeconds }: DocumentContent): Html {
  const { eventsPath, statusPath, pagePath, embedders, shown } = live;
  const paths = html` data-events="${eventsPath}" data-status="${statusPath}" data-page="${pagePath}"`;
  // For the time in which the page has no script yet.
  const refresh = refreshSeconds === null ? null : html` data-refresh="${refreshSeconds}"`;
  const embed = embedders.length === 0 ? null : html` data-embed="${embedders.join(' ')}"`;
  const { copied, copyFailed, simulatorFailed } = language.page;
  const texts = html` data-copied="${copied}" data-uncopied="${copyFailed}" data-failed="${simulatorFailed}"`;
  return html`${paths} data-locale="${language.locale}"${texts}${refresh}${embed}${dataOfShown(shown)}`;
}

function dataOfShown({ version, isLive, state, hasCode, tone }: Shown): Html {
  const versionOf = html` data-version="${version}" data-live="${String(isLive)}"`;
  return html`${versionOf} data-state="${state}" data-code="${String(hasCode)}" data-tone="${tone}"`;
}

function scriptOf({ live, refreshSeconds, isFramed = false }: DocumentContent): Inline | null {
  if (live !== null) return BOOT;
  return refreshSeconds === null && !isFramed ? null : SHOWN;
}

/** With a script the page updates in place; a reload would interrupt a screen reader. */
function refresh({ refreshSeconds, refreshTo, live }: DocumentContent): Html | null {
  if (refreshSeconds === null) return null;
  const where = refreshTo === undefined ? null : html`;url=${refreshTo}`;
  const meta = html`<meta http-equiv="refresh" content="${refreshSeconds}${where}" />`;
  return live === null ? meta : html`<noscript>${meta}</noscript>`;
}

/** A reload closes what is open, and loses what is typed: who needs longer can stop it (WCAG 2.2.1). */
function reloading({ reloading: link }: DocumentContent): Html | null {
  if (!link) return null;
  return html`<noscript
    ><p><a href="${link.path}">${link.text}</a></p></noscript
  >`;
}

/** A title has no elements that could isolate direction marks. */
function withoutDirectionMarks(title: string): string {
  return title.replaceAll(/[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g, '');
}

function languageLinks(current: Language, path: string): Html {
  const items = ALL_LANGUAGES.map(({ id, name }) =>
    id === current.id
      ? html`<li><span aria-current="true" lang="${id}">${name}</span></li>`
      : html`<li><a href="${path}?lang=${id}" lang="${id}" hreflang="${id}">${name}</a></li>`,
  );
  return html`<nav aria-label="${current.page.language}">
    <ul>
      ${items}
    </ul>
  </nav>`;
}
