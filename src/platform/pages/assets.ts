import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Html } from './html.ts';

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

/** Files of styles, or of scripts, in a row, without what only their readers need. */
export function readMinified(files: readonly URL[]): string {
  return files
    .map((file) => {
      const text = withoutComments(readFileSync(file, 'utf8'));
      return file.pathname.endsWith('.css') ? minifiedRules(text) : withoutTypes(text);
    })
    .join('');
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

/**
 * Each declaration and each brace has a line of its own, as the formatter writes them. No string has a comma
 * or a combinator in it.
 */
function minifiedRules(style: string): string {
  return style
    .replaceAll(/^([\w-]+):\s+/gm, '$1:')
    .replaceAll(/ \{$/gm, '{')
    .replaceAll(/;\n\}/g, '}')
    .replaceAll(/,\n/g, ',')
    .replaceAll(/, /g, ',')
    .replaceAll(/ ([>~]) /g, '$1')
    .replaceAll(/([{};])\n/g, '$1');
}
