import { ar } from './ar.ts';
import { de } from './de.ts';
import { en, type Texts } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { ja } from './ja.ts';

export interface Language {
  /** As in Accept-Language, `?lang=` and the page's `lang`. */
  readonly id: LanguageId;
  /** In the language itself. */
  readonly name: string;
  readonly direction: 'ltr' | 'rtl';
  readonly texts: Texts;
}

export type LanguageId = 'en' | 'de' | 'es' | 'fr' | 'ja' | 'ar';

const LANGUAGES: Readonly<Record<LanguageId, Language>> = {
  en: { id: 'en', name: 'English', direction: 'ltr', texts: en },
  de: { id: 'de', name: 'Deutsch', direction: 'ltr', texts: de },
  es: { id: 'es', name: 'Español', direction: 'ltr', texts: es },
  fr: { id: 'fr', name: 'Français', direction: 'ltr', texts: fr },
  ja: { id: 'ja', name: '日本語', direction: 'ltr', texts: ja },
  ar: { id: 'ar', name: 'العربية', direction: 'rtl', texts: ar },
};

/** Every language of the page, the one for everybody else first. */
export const ALL_LANGUAGES: readonly Language[] = Object.values(LANGUAGES);

/** The language that was asked for by name ("de", "de-AT"); null when the page does not speak it. */
export function languageNamed(name: string | null): Language | null {
  const [id] = (name ?? '').toLowerCase().split('-');
  return ALL_LANGUAGES.find((language) => language.id === id) ?? null;
}

/** The page's language for a browser: the best of its Accept-Language that the page speaks, or English. */
export function languageFor(acceptLanguage: string | undefined): Language {
  const wishes = (acceptLanguage ?? '').split(',').map((wish) => {
    const [name = '', ...parameters] = wish.split(';').map((part) => part.trim());
    const quality = parameters.find((parameter) => parameter.startsWith('q='));
    return { name, quality: quality === undefined ? 1 : Number(quality.slice(2)) };
  });
  // The sort is stable: of two that are wished for alike the first wins.
  const wanted = wishes.filter(({ quality }) => quality > 0).sort((a, b) => b.quality - a.quality);
  for (const { name } of wanted) {
    const language = languageNamed(name);
    if (language !== null) return language;
  }
  return LANGUAGES.en;
}
