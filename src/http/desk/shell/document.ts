import { may, type Right } from '../../../domain/people/rights/roles.ts';
import type { Membership, Session } from '../../../domain/people/sessions/store.ts';
import { html, type Html } from '../../../platform/pages/html.ts';
import { button, form } from './fields.ts';
import type { Page } from './route.ts';
import type { DeskTexts } from './texts.ts';
import { ICON_PATH, STYLE } from './style.ts';

/** The pages of a merchant, and the right that each needs. */
const TABS = [
  { tab: 'home', path: '', right: 'payments:read' },
  { tab: 'payments', path: '/payments', right: 'payments:read' },
  { tab: 'links', path: '/links', right: 'payments:read' },
  { tab: 'tills', path: '/tills', right: 'payments:read' },
  { tab: 'exports', path: '/exports', right: 'payments:read' },
  { tab: 'developers', path: '/developers', right: 'webhooks:read' },
  { tab: 'settings', path: '/settings', right: 'payments:read' },
  { tab: 'people', path: '/people', right: 'people:read' },
  { tab: 'audit', path: '/audit', right: 'audit:read' },
] as const satisfies readonly { tab: keyof DeskTexts['tabs']; path: string; right: Right }[];

/** Who looks at which page. */
export interface Viewer {
  readonly texts: DeskTexts;
  readonly path: string;
  /** Null: nobody is signed in, or the second factor is still to come. */
  readonly session: Session | null;
  /** Null: the page is of no merchant. */
  readonly merchant: Membership | null;
}

/** A whole page of the desk. Of a test merchant it says TEST, and looks different. */
export function deskDocument(
  viewer: Viewer,
  { title, head, main, refreshSeconds, scripts = [] }: Page,
): string {
  const { texts, merchant } = viewer;
  const shown = merchant === null ? title : `${title} · ${merchant.name}`;
  const mode = merchant?.mode ?? 'none';
  const refresh =
    refreshSeconds === undefined ? null : html`<meta http-equiv="refresh" content="${refreshSeconds}" />`;
  return html`<!doctype html>
    <html lang="${texts.language.id}" dir="${texts.language.direction}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        ${refresh}
        <title>${mode === 'test' ? `[${texts.test}] ` : ''}${shown}</title>
        <link rel="icon" href="${ICON_PATH}" />
        ${STYLE.element}
      </head>
      <body class="desk ${mode}">
        <a class="skip" href="#main">${texts.skip}</a>
        ${bar(viewer)}
        <main id="main">${head ?? html`<h1>${title}</h1>`} ${main}</main>
        ${scripts.map(({ element }) => element)}
      </body>
    </html> `.markup.replaceAll(/\n[ \t\n]+/g, '\n');
}

function bar({ texts, session, merchant, path }: Viewer): Html {
  const isIn = session !== null && session.factor_at !== null;
  return html`<header class="bar">
    <div class="row">
      <a class="brand" href="/dashboard">${texts.desk}</a>
      ${merchant === null ? null : switcher(texts, session, merchant)}
      ${isIn ? account(texts, session) : null}
    </div>
    ${merchant === null ? null : tabs(texts, merchant, path)}
    ${merchant?.mode === 'test' ? testBand(texts) : null}
  </header>`;
}

/** Opens without a script. One shop alone has nothing to switch to. */
function switcher(texts: DeskTexts, session: Session | null, merchant: Membership): Html {
  const others = (session?.memberships ?? []).filter(
    ({ merchant_id }) => merchant_id !== merchant.merchant_id,
  );
  const own = html`<bdi>${merchant.name}</bdi> ${badge(texts, merchant)}`;
  if (others.length === 0) return html`<p class="shop">${own}</p>`;
  return html`<details class="shop">
    <summary>${own}</summary>
    <nav aria-label="${texts.shops}">
      <ul>
        ${others.map(
          (one) =>
            html`<li>
              <a href="/dashboard/${one.merchant_id}"><bdi>${one.name}</bdi> ${badge(texts, one)}</a>
            </li>`,
        )}
      </ul>
    </nav>
  </details>`;
}

/** Distinguishes test and live without colours. */
export function badge(texts: DeskTexts, { mode }: Pick<Membership, 'mode'>): Html {
  return html`<span class="badge ${mode}">${mode === 'test' ? texts.test : texts.live}</span>`;
}

function account(texts: DeskTexts, { email }: Session): Html {
  return html`<nav class="you" aria-label="${texts.you}">
    <a href="/dashboard/account"><bdi>${email}</bdi></a>
    ${form('/dashboard/sign-out', button(texts.signOut, { kind: 'quiet' }), 'inline')}
  </nav>`;
}

function tabs(texts: DeskTexts, merchant: Membership, path: string): Html {
  const bar = { base: `/dashboard/${merchant.merchant_id}`, name: merchant.name, kind: 'tabs' };
  const all = TABS.map((one) => ({ ...one, label: texts.tabs[one.tab] }));
  return neighbours({ merchant, path }, bar, all);
}

/** A page beside others, for whoever has its right. */
export interface Neighbour {
  /** Below that of all of them. */
  readonly path: string;
  readonly right: Right;
  readonly label: string;
}

/** Links to the pages below `base` that the person may see; that of the current one says so. */
export function neighbours(
  { merchant, path }: { merchant: Pick<Membership, 'role'>; path: string },
  { base, name, kind }: { base: string; name: string; kind: string },
  all: readonly Neighbour[],
): Html {
  const shown = all.filter(({ right }) => may(merchant.role, right));
  return html`<nav class="${kind}" aria-label="${name}">
    <ul>
      ${shown.map(({ path: own, label }) => {
        const to = `${base}${own}`;
        const isAt = path === to || (own !== '' && path.startsWith(`${to}/`));
        return html`<li><a href="${to}" ${isAt ? html`aria-current="page"` : null}>${label}</a></li>`;
      })}
    </ul>
  </nav>`;
}

function testBand(texts: DeskTexts): Html {
  return html`<p class="band"><strong>${texts.test}</strong> ${texts.testText}</p>`;
}

/** Who is at their merchant, and may not do this there. */
export function refusal(texts: DeskTexts, why: 'refused' | 'suspended'): Page {
  const { refused } = texts;
  const [title, text] =
    why === 'refused' ? [refused.title, refused.text] : [refused.suspendedTitle, refused.suspendedText];
  return {
    title,
    status: 403,
    main: html`<div class="card"><p>${text}</p></div>`,
  };
}
