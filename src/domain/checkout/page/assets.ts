import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ROOT } from '../../../platform/root.ts';
import { accentOf, type Accent } from '../markup/accent.ts';
import { Html } from '../markup/html.ts';

const FOLDER = new URL('assets/checkout/', ROOT);

/**
 * What the page wears and runs, in this order: later rules override, and later files use the ones before.
 * `embed` is what shops run to open the page in a modal; the documentation wears the same colours.
 */
export const PAGE_ASSETS = {
  style: ['base.css', 'sheet.css', 'states.css'],
  boot: ['boot.js'],
  script: [
    'base.js',
    'copy.js',
    'time.js',
    'wallet.js',
    '../embed/framed.js',
    'show.js',
    'forms.js',
    'follow.js',
  ],
  embed: ['../embed/checkout.js'],
  docsStyle: ['base.css', '../docs/page.css', '../docs/content.css', '../docs/code.css'],
  docsScript: ['../docs/copy.js', '../docs/languages.js', '../docs/search.js'],
} as const;

export interface Inline {
  readonly element: Html;
  /** By which a Content-Security-Policy allows exactly this content. */
  readonly source: string;
}

/** Content as an inline element of the page. */
export function inline(tag: 'style' | 'script', content: string): Inline {
  const hash = createHash('sha256').update(content).digest('base64');
  return { element: new Html(`<${tag}>${content}</${tag}>`), source: `'sha256-${hash}'` };
}

/**
 * The style that puts a merchant's accent colour over the page's own; null: they chose none. On paper the
 * page stays black. The API validates the colour when it stores it; this second check keeps anything else out
 * of the style, whatever the row holds.
 */
export function accentStyle(color: string | null): Inline | null {
  if (color === null || !/^#[0-9a-f]{6}$/i.test(color)) return null;
  const { light, dark } = accentOf(color);
  return inline(
    'style',
    `@media screen{${variables(light)}}@media screen and (prefers-color-scheme:dark){${variables(dark)}}`,
  );
}

const variables = ({ color, on }: Accent) => `:root{--accent:${color};--on-accent:${on}}`;

/** An asset's files in a row, without what only their readers need. */
export function readAsset(asset: keyof typeof PAGE_ASSETS): string {
  const files = PAGE_ASSETS[asset].map((file) => readFileSync(new URL(file, FOLDER), 'utf8'));
  const minify = asset === 'style' || asset === 'docsStyle' ? minifiedRules : withoutTypes;
  return files.map(withoutComments).map(minify).join('');
}

const COMMENT_LINES = /^\s*(?:\/\*(?:(?!\*\/).)*\*\/|\/\/[^\n]*)[ \t]*\n/gms;
const INDENTATION = /^\s+/gm;

/**
 * Script or style without indentation and without the comments that have lines to themselves: every page
 * carries it. Strings that span lines would change too, so an asset has none.
 */
export function withoutComments(text: string): string {
  return text.replaceAll(COMMENT_LINES, '').replaceAll(INDENTATION, '');
}

/** Casts in comments, which have no effect in a browser. */
const withoutTypes = (script: string) => script.replaceAll(/\/\*\* @(?:type|typedef) .*?\*\/ ?/g, '');

/** Each declaration and each brace has a line of its own, as the formatter writes them. */
function minifiedRules(style: string): string {
  return style
    .replaceAll(/^([\w-]+):\s+/gm, '$1:')
    .replaceAll(/ \{$/gm, '{')
    .replaceAll(/;\n\}/g, '}')
    .replaceAll(/,\n/g, ',')
    .replaceAll(/([{};])\n/g, '$1');
}
