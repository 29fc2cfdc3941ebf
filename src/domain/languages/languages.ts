import { ar } from './ar.ts';
import { de } from './de.ts';
import { en, type LanguageTexts } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { ja } from './ja.ts';

/**
 * Every language, in the order in which the page links them. English serves customers who speak none of them.
 */
const LANGUAGES = { en, de, es, fr, ja, ar } satisfies Record<string, LanguageTexts>;

export type LanguageId = keyof typeof LANGUAGES;

export interface Language extends LanguageTexts {
  /** As in Accept-Language, `?lang=` and the page's `lang`. */
  readonly id: LanguageId;
  /** With the customer's region, if it is known ("de-CH"): how numbers and dates are written. */
  readonly locale: string;
}

export const ALL_LANGUAGES: readonly Language[] = (Object.keys(LANGUAGES) as LanguageId[]).map(languageOf);

function languageOf(id: LanguageId): Language {
  return { id, locale: id, ...LANGUAGES[id] };
}

/** The language with this name ("de", "de-AT"); null when there are no texts in it. */
export function languageNamed(name: string | null): Language | null {
  const [id, ...subtags] = (name ?? '').toLowerCase().split('-');
  const language = ALL_LANGUAGES.find((language) => language.id === id);
  if (language === undefined) return null;
  const region = subtags.find((subtag) => /^[a-z]{2}$/.test(subtag));
  return region === undefined ? language : { ...language, locale: `${language.id}-${region.toUpperCase()}` };
}

/** The best language of an Accept-Language header, or English. */
export function languageFor(acceptLanguage: string | undefined): Language {
  const wishes = (acceptLanguage ?? '').split(',').map((wish) => {
    const [name = '', ...parameters] = wish.split(';').map((part) => part.trim());
    const quality = parameters.find((parameter) => parameter.startsWith('q='));
    return { name, quality: quality === undefined ? 1 : Number(quality.slice(2)) };
  });
  // The sort is stable: of two languages with the same quality the first wins.
  const wanted = wishes.filter(({ quality }) => quality > 0).sort((a, b) => b.quality - a.quality);
  for (const { name } of wanted) {
    const language = languageNamed(name);
    if (language !== null) return language;
  }
  return languageOf('en');
}
