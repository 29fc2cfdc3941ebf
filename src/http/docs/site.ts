import { setImmediate } from 'node:timers/promises';
import { html, type Html } from '../../platform/pages/html.ts';
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

/**
 * Renders every page: the guides, and the reference from an OpenAPI document. That takes some 0.2 s of the
 * process, so other requests have their turn between two pages.
 */
export async function createSite(document: object): Promise<Site> {
  const pages: DocPage[] = [];
  for (const page of pagesOf(document)) {
    pages.push(page);
    await setImmediate();
  }
  const documents = new Map<string, string>();
  for (const page of pages) {
    documents.set(page.path, documentOf(page, { pages }));
    await setImmediate();
  }
  const find = createIndex(pages);
  return {
    pages: documents,
    search: (query) => documentOf(searchPage(query, find(query)), { pages, query, isUnlisted: true }),
    missing: documentOf(MISSING, { pages, isUnlisted: true }),
  };
}

function* pagesOf(document: object): Generator<DocPage> {
  yield* readGuides();
  for (const page of referencePages(readDocument(document))) yield { ...page, group: 'Reference' };
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
