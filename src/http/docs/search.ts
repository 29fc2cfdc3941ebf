/** A part of a page that a link can lead to. */
export interface Section {
  readonly address: string;
  /** The title of its page. */
  readonly page: string;
  readonly heading: string;
  readonly text: string;
}

/** Text in pieces: those at odd places are what was searched for. */
export type Marked = readonly string[];

/** A section that fits a search. */
export interface Found {
  readonly address: string;
  readonly page: string;
  readonly heading: Marked;
  readonly excerpt: Marked;
}

interface Entry {
  readonly section: Section;
  /** What is searched, comparable, from what weighs most to what weighs least. */
  readonly fields: readonly string[];
}

/** What a word weighs in the heading, in the title of the page, and in the text. */
const WEIGHTS = [6, 3, 1] as const;
/** How well a word fits: as a word of its own, as the beginning of one, and within one. */
const FITS = { whole: 3, beginning: 2, within: 0.5 } as const;
/** What it counts for more that all words stand in a row, and that a text begins with them. */
const IN_A_ROW = 12;
const FIRST = 2;
/** What each further place counts, as far as they tell more than that a section is long. */
const AGAIN = 0.1;
const MAX_AGAIN = 5;
/** Beyond, nobody reads on; they type another word. */
const MAX_FOUND = 20;
const MAX_WORDS = 8;
const EXCERPT_LENGTH = 150;

/** Searches the sections of every page. */
export function createSearch(sections: readonly Section[]): (query: string) => readonly Found[] {
  const entries = sections.map((section): Entry => ({
    section,
    fields: [section.heading, section.page, section.text].map(comparable),
  }));
  return (query) => search(entries, query);
}

/** In lower case and as long as it was; what joins words is a blank: `X-API-Key` is found as `api key`. */
function comparable(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase()).replaceAll(/[-_./]/g, ' ');
}

/** The sections that hold every word of the query, the best ones first. */
function search(entries: readonly Entry[], query: string): readonly Found[] {
  const words = query
    .split(/\s+/)
    .map((word) => comparable(word).trim())
    .filter(Boolean)
    .slice(0, MAX_WORDS);
  if (words.length === 0) return [];
  return entries
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, MAX_FOUND)
    .map(({ entry: { section } }) => ({
      address: section.address,
      page: section.page,
      heading: marked(section.heading, words),
      excerpt: marked(excerptOf(section.text, words), words),
    }));
}

/** 0: a word is missing. */
function scoreOf({ fields }: Entry, words: readonly string[]): number {
  let score = 0;
  for (const word of words) {
    const best = Math.max(...WEIGHTS.map((weight, field) => weight * fitOf(fields[field] ?? '', word)));
    if (best === 0) return 0;
    score += best;
  }
  const phrase = words.join(' ');
  const row = WEIGHTS.find((_, field) => fields[field]?.includes(phrase)) ?? 0;
  if (words.length > 1) score += row * IN_A_ROW;
  if (fields[2]?.startsWith(phrase)) score += FIRST;
  // Whoever types a heading wants that one.
  return fields[0] === phrase ? score + WEIGHTS[0] * IN_A_ROW : score;
}

/** How well the best of the places at which a word stands in a text fits; 0: it is nowhere. */
function fitOf(text: string, word: string): number {
  let [fit, places] = [0, 0];
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
    const end = isInWord(text, at + word.length) ? FITS.beginning : FITS.whole;
    fit = Math.max(fit, isInWord(text, at - 1) ? FITS.within : end);
    places += 1;
  }
  return fit + AGAIN * Math.min(places, MAX_AGAIN);
}

const isInWord = (text: string, at: number): boolean => /[\p{L}\p{N}]/u.test(text.charAt(at));

/** The text around the best of the places of the words in it. */
function excerptOf(text: string, words: readonly string[]): string {
  const lower = comparable(text);
  const phrase = lower.indexOf(words.join(' '));
  const places = words.map((word) => placeOf(lower, word)).filter((place) => place >= 0);
  const place = phrase >= 0 && words.length > 1 ? phrase : Math.min(...places, text.length);
  const first = Math.max(0, place - EXCERPT_LENGTH / 3);
  const begin = places.length === 0 || first === 0 ? 0 : text.indexOf(' ', first) + 1;
  const far = begin + EXCERPT_LENGTH;
  const end = far < text.length ? text.lastIndexOf(' ', far) : text.length;
  return `${begin > 0 ? '… ' : ''}${text.slice(begin, end)}${end < text.length ? ' …' : ''}`;
}

/** Where a word begins a word of the text, or else stands at all; -1: nowhere. */
function placeOf(text: string, word: string): number {
  const beginning = text.startsWith(word) ? 0 : text.indexOf(` ${word}`) + 1;
  return beginning > 0 || text.startsWith(word) ? beginning : text.indexOf(word);
}

/** A text in pieces, around each of the words in it. */
function marked(text: string, words: readonly string[]): Marked {
  const lower = comparable(text);
  const pieces: string[] = [];
  let done = 0;
  for (;;) {
    const next = words
      .map((word) => ({ at: lower.indexOf(word, done), word }))
      .filter(({ at }) => at >= 0)
      .sort((a, b) => a.at - b.at || b.word.length - a.word.length)[0];
    if (next === undefined) return [...pieces, text.slice(done)];
    const end = next.at + next.word.length;
    pieces.push(text.slice(done, next.at), text.slice(next.at, end));
    done = end;
  }
}
