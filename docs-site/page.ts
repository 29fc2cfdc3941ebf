import type { Html } from '../src/platform/pages/html.ts';

/** The groups of pages, in the order of the navigation. */
export const GROUPS = ['Start', 'Guides', 'Reference'] as const;
export type Group = (typeof GROUPS)[number];

/** A page of the documentation. */
export interface DocPage {
  readonly path: string;
  readonly group: Group;
  readonly title: string;
  /** What the page is about, in a sentence or two, as text. */
  readonly summary: string;
  /** What stands below the title. */
  readonly content: Html;
}

/** A part of a page that a link can lead to. */
export interface Section {
  /** Null: the page itself, above its first heading. */
  readonly id: string | null;
  readonly level: number;
  readonly heading: string;
  readonly text: string;
}

/** The sections of a page, from its markup: each heading of level 2 and 3 begins one. */
export function sectionsOf({ title, content }: Pick<DocPage, 'title' | 'content'>): readonly Section[] {
  const [before = '', ...pieces] = content.markup.split(/<h([23]) id="([^"]+)">(.*?)<\/h\1>/gs);
  const sections: Section[] = [{ id: null, level: 1, heading: title, text: textOf(before) }];
  for (let index = 0; index + 3 < pieces.length; index += 4) {
    const [level = '', id = '', heading = '', text = ''] = pieces.slice(index, index + 4);
    sections.push({ id, level: Number(level), heading: textOf(heading), text: textOf(text) });
  }
  return sections;
}

/** The prose of markup, in single spaces: without code blocks and controls. */
function textOf(markup: string): string {
  const prose = withoutControls(markup)
    .replaceAll(/<pre\b.*?<\/pre>/gs, '')
    .replaceAll(/<\/?(?:a|code|em|strong|span)\b[^>]*>/g, '')
    .replaceAll(/<[^>]*>/g, ' ');
  return decoded(prose).replaceAll(/\s+/g, ' ').trim();
}

/** Markup without tabs, drawings, and links of headings to themselves. */
export function withoutControls(markup: string): string {
  return markup.replaceAll(/<(a(?= class="anchor")|legend|label|figure)\b.*?<\/\1\s*>|<input\b[^>]*>/gs, '');
}

/** Markup without elements as text. */
export function decoded(markup: string): string {
  return markup.replaceAll(/&(?:#(x?[\da-f]+)|(\w+));/g, (_, number: string | undefined, name: string) =>
    number === undefined
      ? (NAMED[name] ?? '')
      : String.fromCharCode(Number(`0${number}`.replace(/^0(?!x)/, ''))),
  );
}

/** The references that renderers write; all other characters stand as they are. */
const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' };
