import { createRequire } from 'node:module';
import { html, Html } from '../../src/platform/pages/html.ts';

/** What is used of highlight.js. Its own types would declare a browser's globals for the whole service. */
interface Highlighter {
  registerLanguage(name: string, grammar: unknown): void;
  /** Returns markup in which the text is escaped. */
  highlight(text: string, options: { language: string }): { value: string };
}

/** The languages of blocks by the name behind their fence, with their grammar. `text` has no colours. */
const GRAMMARS = {
  sh: 'bash',
  go: 'go',
  json: 'json',
  php: 'php',
  python: 'python',
  js: 'javascript',
  ts: 'typescript',
  html: 'xml',
} as const;
export type CodeLanguage = keyof typeof GRAMMARS | 'text';

const load = createRequire(import.meta.url);
const highlighter = load('highlight.js/lib/core') as Highlighter;
for (const [name, grammar] of Object.entries(GRAMMARS))
  highlighter.registerLanguage(name, load(`highlight.js/lib/languages/${grammar}`));

/** True for the name of a language that `codeBlock` takes. */
export function isCodeLanguage(name: string): name is CodeLanguage {
  return name === 'text' || Object.hasOwn(GRAMMARS, name);
}

/** A block of code with the classes of its colours; the keyboard can scroll it. */
export function codeBlock(text: string, language: CodeLanguage): Html {
  const marked =
    language === 'text' ? html`${text}` : new Html(highlighter.highlight(text, { language }).value);
  return html`<pre tabindex="0" data-language="${language}"><code>${marked}</code></pre>`;
}
