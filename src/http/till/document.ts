import { testBand } from '../../domain/checkout/components/summary.ts';
import { ICON } from '../../domain/checkout/markup/icons.ts';
import type { PairedTill } from '../../domain/tills/opening.ts';
import { languageFor } from '../../domain/languages/languages.ts';
import { html, type Html } from '../../platform/pages/html.ts';
import { button, form } from '../desk/shell/fields.ts';
import { SCRIPT, STYLE } from './assets.ts';
import { EN } from './texts.ts';

/** A till speaks English, and writes numbers and times so. */
export const LANGUAGE = languageFor('en');

export interface TillPage {
  readonly title: string;
  readonly main: Html;
  /** Default: 200. */
  readonly status?: number;
  /** Without a script it loads itself again after so many seconds; absent: never. */
  readonly refreshSeconds?: number;
  /** With the script it asks for what has changed at this interval; absent: never. */
  readonly followMs?: number;
  /** On paper it stands without bar and buttons. */
  readonly kind?: 'paper';
}

/** A whole page of a till: an open one can be locked, that of a test shop says TEST and looks different. */
export function tillDocument(till: PairedTill | null, page: TillPage, isOpen: boolean): string {
  const { title, main, refreshSeconds, followMs = 0, kind = '' } = page;
  const mode = till?.merchant_mode ?? 'none';
  const name = till === null ? title : `${title} · ${till.name}`;
  const refresh =
    refreshSeconds === undefined
      ? null
      : html`<noscript><meta http-equiv="refresh" content="${refreshSeconds}" /></noscript>`;
  return html`<!doctype html>
    <html lang="en" dir="ltr">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${mode === 'test' ? '[TEST] ' : ''}${name}</title>
        <link rel="icon" href="${ICON.path}" />
        ${refresh} ${STYLE.element}
        <script src="${SCRIPT.path}" defer></script>
      </head>
      <body class="till ${mode} ${kind}" data-follow="${followMs}" ${lineTexts()}>
        ${till === null ? null : bar(till, isOpen)}
        <p id="line" class="line" role="status" hidden></p>
        <main id="main">
          ${mode === 'test' ? testBand(LANGUAGE) : null}
          <h1 id="title" tabindex="-1">${title}</h1>
          ${main}
        </main>
        <div id="heard" class="unseen" role="log"></div>
      </body>
    </html> `.markup.replaceAll(/\n[ \t\n]+/g, '\n');
}

/** What the script says. */
function lineTexts(): Html {
  const texts = Object.entries(EN.line).map(
    ([name, text]) =>
      html` data-line-${name.replaceAll(/[A-Z]/g, (one) => `-${one.toLowerCase()}`)}="${text}"`,
  );
  return html`${texts}`;
}

function bar(till: PairedTill, isOpen: boolean): Html {
  const lock = form('/till/lock', button(EN.lock, { kind: 'quiet' }), 'inline');
  return html`<header class="top">
    <p>
      <b><bdi>${till.name}</bdi></b> <bdi class="small">${till.merchant_name}</bdi>
    </p>
    ${isOpen ? lock : null}
  </header>`;
}
