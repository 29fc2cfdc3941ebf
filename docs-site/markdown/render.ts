import { Marked, type Token, type Tokens } from 'marked';
import { html, Html } from '../../src/platform/pages/html.ts';
import { heading, slugOf, table } from './elements.ts';
import { codeBlock, isCodeLanguage } from './highlight.ts';
import { sampleTabs } from './samples.ts';

/** What a guide includes by name: `<!-- include: states -->`. */
export type Includes = Readonly<Record<string, () => Html>>;

export interface Guide {
  readonly title: string;
  /** The first paragraph, as text. */
  readonly summary: string;
  /** What follows the title. */
  readonly content: Html;
}

const INCLUDE = /^<!-- include: ([\w-]+) -->\s*$/;
const SAMPLE = /^\.\.\/samples\/\w+\/([\w-]+)\.\w+$/;

/**
 * A guide as a page: `# Title`, a paragraph that says what it is about, and sections. A paragraph that is
 * nothing but a link to a sample (`../samples/curl/x.sh`) becomes that sample in every language. Links to
 * other guides become links to their pages. Throws for a block in an unknown language, for markup that is no
 * include, for images, and for a guide that begins differently: nothing is shown that nobody has thought of.
 */
export function renderGuide(text: string, includes: Includes): Guide {
  const marked = parserOf(includes);
  const [first, second, ...rest] = marked.lexer(text).filter(({ type }) => type !== 'space');
  if (first?.type !== 'heading' || first.depth !== 1) throw new Error('a guide begins with its title');
  if (second?.type !== 'paragraph') throw new Error(`"${first.text}" does not say what it is about`);
  return {
    title: String(first.text),
    summary: String(second.text)
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replaceAll(/[`*]|\n/g, (mark) => (mark === '\n' ? ' ' : '')),
    content: new Html(marked.parser([second, ...rest])),
  };
}

const INLINE = new Marked();

/** Markdown of the OpenAPI document: paragraphs, lists and code. */
export function renderDescription(text: string): Html {
  return new Html(INLINE.parse(text, { async: false }));
}

/** The same of a line, without a paragraph around it. */
export function renderLine(text: string): Html {
  return new Html(INLINE.parseInline(text, { async: false }));
}

function parserOf(includes: Includes): Marked {
  return new Marked({
    renderer: {
      heading({ depth, text, tokens }) {
        if (depth !== 2 && depth !== 3)
          throw new Error(`"${text}" is a heading of level ${depth}, not 2 or 3`);
        return heading(depth, slugOf(text), new Html(this.parser.parseInline(tokens))).markup;
      },
      code({ text, lang = '' }) {
        if (!isCodeLanguage(lang))
          throw new Error(`"${lang}" is no language of a block: ${text.slice(0, 40)}`);
        return codeBlock(text, lang).markup;
      },
      html({ text }) {
        const include = includes[INCLUDE.exec(text)?.[1] ?? ''];
        if (include === undefined) throw new Error(`nothing includes what this says: ${text}`);
        return include().markup;
      },
      image({ href }) {
        throw new Error(`images have no place here: ${href}`);
      },
      link({ href, tokens }) {
        return html`<a href="${addressOf(href)}">${new Html(this.parser.parseInline(tokens))}</a>`.markup;
      },
      paragraph({ tokens }) {
        const sample = sampleOf(tokens);
        if (sample !== null) return sampleTabs(sample.name, sample.title).markup;
        return `<p>${this.parser.parseInline(tokens)}</p>\n`;
      },
      table(token) {
        return wideTable(token, (cell) => new Html(this.parser.parseInline(cell.tokens))).markup;
      },
    },
  });
}

/** The name and the title of a sample, where a paragraph holds nothing else. */
function sampleOf(tokens: readonly Token[]): { name: string; title: string } | null {
  const [only, ...others] = tokens;
  if (only?.type !== 'link' || others.length > 0) return null;
  const name = SAMPLE.exec(String(only.href))?.[1];
  return name === undefined ? null : { name, title: String(only.text) };
}

/** Where a link of a guide leads on the pages: other guides are `/docs/NAME`, and `index.md` is `/docs`. */
function addressOf(href: string): string {
  const elsewhere = ELSEWHERE[href] ?? ELSEWHERE[href.replace(/#.*/, '')];
  if (elsewhere !== undefined) return elsewhere;
  if (/^(?:https:\/\/|\/docs\b|#)/.test(href)) return href;
  const [, name = '', anchor = ''] = /^(?:\.\.\/how-to\/)?([\w-]+)\.md(#[\w-]+)?$/.exec(href) ?? [];
  if (name === '') throw new Error(`a guide links to ${href}, which has no page`);
  return `${pathOfGuide(name)}${anchor}`;
}

/** Pages that say what documents of the repository do, which are not served. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  '../contract.md': '/docs/reference',
  '../sandbox.md': '/docs/test-with-stories',
  '../webhooks.md': '/docs/receive-webhooks',
  '../webhooks.md#install': '/docs/quick-start#install-the-sdk',
};

/** The path of a guide's page; `name` is that of its file. */
export function pathOfGuide(name: string): string {
  return name === 'index' ? '/docs' : `/docs/${name}`;
}

function wideTable({ header, rows }: Tokens.Table, contentOf: (cell: Tokens.TableCell) => Html): Html {
  return table(
    header.map(contentOf),
    rows.map((row) => row.map(contentOf)),
  );
}
