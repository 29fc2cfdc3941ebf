import { decoded, withoutControls, type DocPage } from '../page.ts';

/** Where a page is as Markdown. */
export function pathOfMarkdown(path: string): string {
  return path === '/docs' ? '/docs/index.md' : `${path}.md`;
}

/**
 * A page as Markdown, for programs and for readers of text. Throws for an element that nobody has thought of:
 * pages have those alone that the renderers write.
 */
export function markdownOf({ title, content }: DocPage): string {
  const pieces = withoutControls(content.markup).split(BLOCK);
  const parts = pieces.map((piece, index) => {
    if (index % 3 === 0) return proseOf(piece);
    return index % 3 === 1 ? `\`\`\`${piece}` : `${decoded(piece.replaceAll(/<[^>]*>/g, ''))}\n\`\`\``;
  });
  const blocks = parts.map((part, index) => (index % 3 === 1 ? `${part}\n` : `${part}\n\n`));
  return `# ${title}\n\n${blocks
    .filter((block) => block.trim() !== '')
    .join('')
    .trimEnd()}\n`;
}

const BLOCK = /<pre[^>]* data-language="(\w+)"><code>(.*?)\n?<\/code><\/pre>/gs;

/** What stands before and behind the content of an element. */
const ELEMENTS: Readonly<Record<string, readonly [before: string, after: string]>> = {
  h2: ['\n\n## ', '\n\n'],
  h3: ['\n\n### ', '\n\n'],
  p: ['\n\n', '\n\n'],
  summary: ['\n\n**', '**\n\n'],
  strong: ['**', '**'],
  em: ['*', '*'],
  code: ['`', '`'],
  a: ['[', ''],
  ul: ['\n\n', '\n\n'],
  ol: ['\n\n', '\n\n'],
  li: ['', ''],
  table: ['\n\n', '\n\n'],
  thead: ['', ''],
  tbody: ['', ''],
  tr: ['\n| ', ''],
  th: ['', ' | '],
  td: ['', ' | '],
  div: ['', ''],
  span: ['', ''],
  fieldset: ['', ''],
  details: ['', ''],
};

function proseOf(markup: string): string {
  /** Lists around the current place, and links: what an end needs to know of its beginning. */
  const lists: string[] = [];
  const links: string[] = [];
  let [columns, isCode] = [0, false];
  const parts = markup.split(/<([^>]+)>/).map((token, index) => {
    if (index % 2 === 0) return textOf(token, isCode);
    const name = token.replace(/^\//, '').replace(/\s.*$/s, '');
    const [before, after] = ELEMENTS[name] ?? [];
    if (before === undefined || after === undefined) throw new Error(`<${name}> is nothing in Markdown`);
    const isEnd = token.startsWith('/');
    isCode = name === 'code' ? !isEnd : isCode;
    if (name === 'a') {
      if (isEnd) return `](${addressOf(links.pop() ?? '')})`;
      links.push(/href="([^"]*)"/.exec(token)?.[1] ?? '');
    }
    if (name === 'ul' || name === 'ol') {
      if (isEnd) lists.pop();
      else lists.push(name);
      return lists.length === (isEnd ? 0 : 1) ? before : '';
    }
    if (name === 'li' && !isEnd) return `\n${'\t'.repeat(lists.length - 1)}${MARKERS[lists.at(-1) ?? '']} `;
    if (name === 'thead') {
      if (isEnd) return `\n|${' --- |'.repeat(columns)}`;
      columns = 0;
    }
    if (name === 'th' && !isEnd) columns += 1;
    return isEnd ? after : before;
  });
  return parts
    .join('')
    .replaceAll(/ *\n */g, '\n')
    .replaceAll(/ {2,}/g, ' ')
    .replaceAll(/\n{3,}/g, '\n\n')
    .replaceAll('\t', '  ')
    .trim();
}

const MARKERS: Readonly<Record<string, string>> = { ul: '-', ol: '1.' };

/** Text in single blanks; what Markdown would read as more than text is escaped. */
function textOf(markup: string, isCode: boolean): string {
  const text = decoded(markup).replaceAll(/\s+/g, ' ');
  return text.replaceAll(isCode ? /\|/g : /[|*<[\]\\]/g, String.raw`\$&`);
}

/** A link between pages leads to the other page's Markdown. */
function addressOf(href: string): string {
  const [path = '', anchor] = decoded(href).split('#');
  const isPage = /^\/docs(?:\/[\w/-]+)?$/.test(path);
  return `${isPage ? pathOfMarkdown(path) : path}${anchor === undefined ? '' : `#${anchor}`}`;
}
