import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Html } from './html.ts';

/** The same files from source and from the build: both lie four folders below the project's root. */
const FOLDER = new URL('../../../../assets/', import.meta.url);

export interface Asset {
  readonly element: Html;
  /** By which a Content-Security-Policy allows exactly this content. */
  readonly source: string;
}

/** A file of assets/ as an inline element of the page. */
export function readAsset(tag: 'style' | 'script', file: string): Asset {
  const content = withoutComments(readFileSync(new URL(file, FOLDER), 'utf8'));
  const hash = createHash('sha256').update(content).digest('base64');
  return { element: new Html(`<${tag}>${content}</${tag}>`), source: `'sha256-${hash}'` };
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
