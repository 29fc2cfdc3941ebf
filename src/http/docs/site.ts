import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { html, type Html } from '../../platform/pages/html.ts';
import { ROOT } from '../../platform/root.ts';
import { createSearch, type Found, type Marked, type Section } from './search.ts';

/** The documentation as docs-site renders it, by the names of its files. */
export type SiteFiles = ReadonlyMap<string, string>;

/** Files of the site that are no pages of their own. */
export const MISSING_FILE = 'missing.html';
export const SEARCH_FILE = 'search.html';
export const SECTIONS_FILE = 'sections.json';

export const SEARCH_PATH = '/docs/search';
/** What the documentation has, for programs that read it: https://llmstxt.org. */
export const LLMS_PATH = '/llms.txt';
/** What stands in the page of a search for what a reader has typed, and for what was found. */
export const QUERY_MARK = '%query%';
export const RESULTS_MARK = '%results%';
const MARKS = new RegExp(`${QUERY_MARK}|${RESULTS_MARK}`);

/** What pages load, with its type. */
export const ASSETS = {
  '/docs/assets/docs.css': 'text/css; charset=utf-8',
  '/docs/assets/docs.js': 'text/javascript; charset=utf-8',
} as const;
export type AssetPath = keyof typeof ASSETS;

/** The name of the file at a path: a page's ends in `.html`, and what has an ending has it already. */
export function fileOf(path: string): string {
  return /\.\w+$/.test(path) ? path.slice(1) : `${path.slice(1)}.html`;
}

/**
 * Identifies the content of what pages load. It is in the query, and not in the path: while a release
 * replaces another, a page may ask the other one's process, and a page without its style is worse than one
 * with a style that is a release old.
 */
export function versionOf(content: string): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 20);
}

/** The documentation as it is served. */
export interface Site {
  /** The page at a path, or what pages load from there; null: there is none. */
  find(path: string): string | null;
  /** The page of a search. */
  search(query: string): string;
  /** For a path that no page has. */
  readonly missing: string;
}

/**
 * Reads the site that `npm run build` has rendered, for an installation with or without the sandbox; null: it
 * was not built.
 */
export function readBuiltSite(hasSandbox: boolean): SiteFiles | null {
  const folder = new URL(`dist/docs/${variantOf(hasSandbox)}/`, ROOT);
  if (!existsSync(folder)) return null;
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => name.includes('.'));
  return new Map(files.map((name) => [name, readFileSync(new URL(name, folder), 'utf8')]));
}

/** The folder of a site: the reference leaves out what an installation does not have. */
export const variantOf = (hasSandbox: boolean): string => (hasSandbox ? 'sandbox' : 'no-sandbox');

/** Serves files of a site from memory. */
export function createSite(files: SiteFiles): Site {
  const [search, missing] = [SEARCH_FILE, MISSING_FILE].map((name) => files.get(name) ?? '');
  const [beforeQuery = '', between = '', afterResults = ''] = search?.split(MARKS) ?? [];
  const find = createSearch(JSON.parse(files.get(SECTIONS_FILE) ?? '[]') as readonly Section[]);
  return {
    find: (path) => files.get(fileOf(path)) ?? null,
    search: (query) =>
      [beforeQuery, html`${query}`.markup, between, results(query, find(query)).markup, afterResults].join(
        '',
      ),
    missing: missing ?? '',
  };
}

function results(query: string, found: readonly Found[]): Html {
  if (query.trim() === '') return html`<p>Type one word or several into the field above.</p>`;
  if (found.length === 0) return html`<p>Nothing has all of these words: ${query}</p>`;
  return html`<ul class="found">
    ${found.map(
      ({ address, page, heading, excerpt }) =>
        html`<li>
          <a href="${address}">${shown(heading)}</a> <span class="small">${page}</span>
          <p>${shown(excerpt)}</p>
        </li>`,
    )}
  </ul>`;
}

const shown = (pieces: Marked): Html =>
  html`${pieces.map((piece, index) => (index % 2 === 0 ? html`${piece}` : html`<mark>${piece}</mark>`))}`;
