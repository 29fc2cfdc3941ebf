import { versionOf, type AssetPath } from '../src/http/docs/site.ts';
import { readMinified } from '../src/platform/pages/assets.ts';
import { ROOT } from '../src/platform/root.ts';

/** A file that pages load. Its address changes with its content, so browsers keep it for good. */
interface DocsAsset {
  readonly path: AssetPath;
  readonly address: string;
  readonly content: string;
}

function asset(path: AssetPath, files: readonly string[]): DocsAsset {
  const content = readMinified(files.map((file) => new URL(`assets/${file}`, ROOT)));
  return { path, address: `${path}?v=${versionOf(content)}`, content };
}

/** The colours and controls of the checkout page, and what only the documentation has. */
export const DOCS_STYLE = asset('/docs/assets/docs.css', [
  'checkout/base.css',
  'checkout/copy.css',
  'docs/page.css',
  'docs/content.css',
  'docs/code.css',
]);

/** Copy buttons, remembered languages, and results while a reader types. */
export const DOCS_SCRIPT = asset('/docs/assets/docs.js', [
  'docs/copy.js',
  'docs/languages.js',
  'docs/search.js',
]);
