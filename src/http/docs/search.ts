/** A part of a page that a link can lead to. */
export interface Section {
  readonly address: string;
  /** The title of its page. */
  readonly page: string;
  readonly heading: string;
  readonly text: string;
}

/** A section that fits a search. */
export interface Found extends Omit<Section, 'text'> {
  readonly excerpt: string;
}

interface Entry {
  readonly section: Section;
  /** What is searched, in lower case, from what weighs most to what weighs least. */
  readonly fields: readonly string[];
}

/** What a word weighs in the heading, in the title of the page, and in the text. */
const WEIGHTS = [6, 3, 1] as const;
/** Beyond, nobody reads on; they type another word. */
const MAX_FOUND = 20;
const MAX_WORDS = 8;
const EXCERPT_LENGTH = 150;

/** Searches the sections of every page. */
export function createSearch(sections: readonly Section[]): (query: string) => readonly Found[] {
  const entries = sections.map((section): Entry => ({
    section,
    fields: [section.heading, section.page, section.text].map((text) => text.toLowerCase()),
  }));
  return (query) => search(entries, query);
}

/** The sections that hold every word of the query, or words that begin with it, the best ones first. */
function search(entries: readonly Entry[], query: string): readonly Found[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean).slice(0, MAX_WORDS);
  if (words.length === 0) return [];
  return entries
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, MAX_FOUND)
    .map(({ entry: { section } }) => ({
      address: section.address,
      page: section.page,
      heading: section.heading,
      excerpt: excerptOf(section.text, words),
    }));
}

/** 0: a word is missing. */
function scoreOf({ fields }: Entry, words: readonly string[]): number {
  let score = 0;
  for (const word of words) {
    const weight = WEIGHTS.find((_, field) => fields[field]?.includes(word));
    if (weight === undefined) return 0;
    score += weight;
  }
  // Whoever types a heading wants that one.
  return fields[0] === words.join(' ') ? score + WEIGHTS[0] : score;
}

/** The text around the first of the words in it. */
function excerptOf(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase();
  const places = words.map((word) => lower.indexOf(word)).filter((place) => place >= 0);
  const first = Math.max(0, Math.min(...places, text.length) - EXCERPT_LENGTH / 3);
  const begin = places.length === 0 || first === 0 ? 0 : text.indexOf(' ', first) + 1;
  const end = Math.min(text.length, begin + EXCERPT_LENGTH);
  return `${begin > 0 ? '… ' : ''}${text.slice(begin, end)}${end < text.length ? ' …' : ''}`;
}
