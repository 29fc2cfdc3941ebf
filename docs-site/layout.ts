import { SEARCH_PATH } from '../src/http/docs/site.ts';
import { html, type Html } from '../src/platform/pages/html.ts';
import { ICON } from '../src/domain/checkout/markup/icons.ts';
import { DOCS_SCRIPT, DOCS_STYLE } from './assets.ts';
import { pathOfMarkdown } from './markdown/plain.ts';
import { GROUPS, sectionsOf, type DocPage } from './page.ts';

/** What a page shows beside its content. */
export interface Surroundings {
  readonly pages: readonly DocPage[];
  /** What the search field holds. */
  readonly query?: string;
  /** Search engines leave the page out. */
  readonly isUnlisted?: boolean;
}

/** A whole document around a page's content. */
export function documentOf(page: DocPage, { pages, query = '', isUnlisted = false }: Surroundings): string {
  const { title, summary, content } = page;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} - Payment checkout</title>
        <meta name="description" content="${summary}" />
        ${isUnlisted ? html`<meta name="robots" content="noindex" />` : null}
        ${isUnlisted ? null : html`<link rel="alternate" type="text/markdown" href="${pathOfMarkdown(page.path)}" />`}
        <link rel="icon" href="${ICON.path}" />
        <link rel="stylesheet" href="${DOCS_STYLE.address}" />
        <script type="module" src="${DOCS_SCRIPT.address}"></script>
      </head>
      <body class="docs">
        ${header(query)}
        <div class="columns">
          <main id="content">
            <h1>${title}</h1>
            ${contentsOf(page)}
            <div class="content">${content}</div>
            ${neighbours(page, pages)}
            ${isUnlisted ? null : html`<p class="small as-text"><a href="${pathOfMarkdown(page.path)}">This page as Markdown</a></p>`}
          </main>
          ${navigation(page, pages)}
        </div>
      </body>
    </html> `.markup;
}

function header(query: string): Html {
  return html`<header>
    <a class="skip" href="#content">To the content</a>
    <a class="brand" href="/docs">Payment checkout <span>documentation</span></a>
    <form role="search" action="${SEARCH_PATH}">
      <label class="unseen" for="search">Search the documentation</label>
      <input
        type="search"
        id="search"
        name="q"
        value="${query}"
        placeholder="Search"
        maxlength="100"
        autocomplete="off"
      />
      <button type="submit">Search</button>
    </form>
    <a class="to-pages" href="#pages">All pages</a>
  </header>`;
}

/** The headings of a long page. A `details` element needs no script; where there is room it is open. */
function contentsOf(page: DocPage): Html | null {
  const headings = sectionsOf(page).filter(({ level }) => level === 2);
  if (headings.length < 2) return null;
  return html`<nav class="toc" aria-label="On this page">
    <details>
      <summary>On this page</summary>
      <ul>
        ${headings.map(({ id, heading }) => html`<li><a href="#${id}">${heading}</a></li>`)}
      </ul>
    </details>
  </nav>`;
}

/** Every page, by its group. Without room it stands at the end, where a link at the beginning leads. */
function navigation({ path }: DocPage, pages: readonly DocPage[]): Html {
  const groups = GROUPS.map((group) => {
    const own = pages.filter((page) => page.group === group);
    return html`<h2>${group}</h2>
      <ul>
        ${own.map((page) => {
          const current = page.path === path ? html` aria-current="page"` : null;
          return html`<li><a href="${page.path}" ${current}>${page.title}</a></li>`;
        })}
      </ul>`;
  });
  return html`<nav id="pages" aria-label="All pages">${groups}</nav>`;
}

/** The pages before and after a page; a page that is in no order has none. */
function neighbours({ path }: DocPage, pages: readonly DocPage[]): Html | null {
  const place = pages.findIndex((page) => page.path === path);
  if (place === -1) return null;
  const link = (page: DocPage | undefined, name: string) =>
    page === undefined
      ? null
      : html`<a href="${page.path}"><span class="small">${name}</span> ${page.title}</a>`;
  return html`<nav class="neighbours" aria-label="Neighbours">
    ${link(pages[place - 1], 'Previous:')} ${link(pages[place + 1], 'Next:')}
  </nav>`;
}
