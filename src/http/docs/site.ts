import { html, type Html } from '../../domain/checkout/markup/html.ts';
import { readGuides } from './guides.ts';
import { documentOf, SEARCH_PATH } from './layout.ts';
import type { DocPage } from './page.ts';
import { readDocument } from './reference/document.ts';
import { referencePages } from './reference/pages.ts';
import { createIndex, type Found } from './search.ts';

/** The documentation as it is served. */
export interface Site {
  /** The document of each path. */
  readonly pages: ReadonlyMap<string, string>;
  /** The page of a search. */
  search(query: string): string;
  /** For a path that no page has. */
  readonly missing: string;
}

/** Renders every page: the guides, and the reference from an OpenAPI document. */
export function createSite(document: object): Site {
  const reference = referencePages(readDocument(document));
  const pages: readonly DocPage[] = [
    ...readGuides(),
    ...reference.map((page): DocPage => ({ ...page, group: 'Reference' })),
  ];
  const find = createIndex(pages);
  return {
    pages: new Map(pages.map((page) => [page.path, documentOf(page, { pages })])),
    search: (query) => documentOf(searchPage(query, find(query)), { pages, query, isUnlisted: true }),
    missing: documentOf(MISSING, { pages, isUnlisted: true }),
  };
}

const MISSING: DocPage = {
  path: '',
  group: 'Start',
  title: 'There is no such page',
  summary: 'The documentation has no page at this address.',
  content: html`<p>Search for what you need, or choose one of all pages.</p>`,
};

function searchPage(query: string, found: readonly Found[]): DocPage {
  return {
    path: SEARCH_PATH,
    group: 'Start',
    title: 'Search',
    summary: 'What the documentation says about some words.',
    content: html`<div id="results">${results(query, found)}</div>`,
  };
}

function results(query: string, found: readonly Found[]): Html {
  if (query.trim() === '') return html`<p>Type one word or several into the field above.</p>`;
  if (found.length === 0) return html`<p>Nothing has all of these words: ${query}</p>`;
  return html`<ul class="found">
    ${found.map(
      ({ address, page, heading, excerpt }) =>
        html`<li>
          <a href="${address}">${heading}</a> <span class="small">${page}</span>
          <p>${excerpt}</p>
        </li>`,
    )}
  </ul>`;
}
