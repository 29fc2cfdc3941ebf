import { createHash } from 'node:crypto';
import { readAsset } from '../../domain/checkout/page/assets.ts';

/** A file that pages load. Its address changes with its content, so browsers keep it for good. */
export interface DocsAsset {
  readonly path: string;
  readonly address: string;
  readonly type: string;
  readonly content: string;
  readonly version: string;
}

/**
 * The version is in the query, and not in the path: while a release replaces another, a page may ask the
 * other one's process, and a page without its style is worse than one with a style that is a release old.
 */
function asset(path: string, type: string, content: string): DocsAsset {
  const version = createHash('sha256').update(content).digest('hex').slice(0, 20);
  return { path, address: `${path}?v=${version}`, type, content, version };
}

/** The colours and controls of the checkout page, and what only the documentation has. */
export const DOCS_STYLE = asset('/docs/assets/docs.css', 'text/css; charset=utf-8', readAsset('docsStyle'));

/** Copy buttons, remembered languages, and results while a reader types. */
export const DOCS_SCRIPT = asset(
  '/docs/assets/docs.js',
  'text/javascript; charset=utf-8',
  readAsset('docsScript'),
);
