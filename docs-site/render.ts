import { setImmediate } from 'node:timers/promises';
import {
  LLMS_PATH,
  MISSING_FILE,
  QUERY_MARK,
  RESULTS_MARK,
  SEARCH_FILE,
  SEARCH_PATH,
  SECTIONS_FILE,
  fileOf,
  type SiteFiles,
} from '../src/http/docs/site.ts';
import type { Section } from '../src/http/docs/search.ts';
import { llmsText } from './llms.ts';
import { markdownOf, pathOfMarkdown } from './markdown/plain.ts';
import { Html, html } from '../src/platform/pages/html.ts';
import { DOCS_SCRIPT, DOCS_STYLE } from './assets.ts';
import { readGuides } from './guides.ts';
import { documentOf } from './layout.ts';
import { sectionsOf, type DocPage } from './page.ts';
import { readDocument } from './reference/document.ts';
import { referencePages } from './reference/pages.ts';

/**
 * Renders every page: the guides, and the reference from an OpenAPI document. Where a service does it, which
 * takes some 0.2 s, other requests have their turn between two pages.
 */
export async function renderSite(document: object): Promise<SiteFiles> {
  const pages: DocPage[] = [];
  for (const page of pagesOf(document)) {
    pages.push(page);
    await setImmediate();
  }
  const files = new Map<string, string>();
  for (const page of pages) {
    files.set(fileOf(page.path), documentOf(page, { pages }));
    files.set(fileOf(pathOfMarkdown(page.path)), markdownOf(page));
    await setImmediate();
  }
  for (const { path, content } of [DOCS_STYLE, DOCS_SCRIPT]) files.set(fileOf(path), content);
  files.set(fileOf(LLMS_PATH), llmsText(pages));
  const unlisted = { pages, isUnlisted: true };
  files.set(MISSING_FILE, documentOf(MISSING, unlisted));
  files.set(SEARCH_FILE, documentOf(SEARCH, { ...unlisted, query: QUERY_MARK }));
  files.set(SECTIONS_FILE, JSON.stringify(pages.flatMap(searched)));
  return files;
}

function* pagesOf(document: object): Generator<DocPage> {
  yield* readGuides();
  for (const page of referencePages(readDocument(document))) yield { ...page, group: 'Reference' };
}

/** The sections of a page as the search has them: those of level 3 name the one that they belong to. */
function searched(page: DocPage): Section[] {
  let above = '';
  return sectionsOf(page).map(({ id, level, heading, text }) => {
    if (level < 3) above = level === 2 ? `: ${heading}` : '';
    const place = level === 3 ? `${page.title}${above}` : page.title;
    return { address: id === null ? page.path : `${page.path}#${id}`, page: place, heading, text };
  });
}

const MISSING: DocPage = {
  path: '',
  group: 'Start',
  title: 'There is no such page',
  summary: 'The documentation has no page at this address.',
  content: html`<p>Search for what you need, or choose one of all pages.</p>`,
};

const SEARCH: DocPage = {
  path: SEARCH_PATH,
  group: 'Start',
  title: 'Search',
  summary: 'What the documentation says about some words.',
  content: html`<div id="results">${new Html(RESULTS_MARK)}</div>`,
};
