import type { LanguageId } from '../languages/languages.ts';
import { ar } from './texts/ar.ts';
import { de } from './texts/de.ts';
import { en, type ReceiptTexts } from './texts/en.ts';
import { es } from './texts/es.ts';
import { fr } from './texts/fr.ts';
import { ja } from './texts/ja.ts';

/** What receipts say, in every language of the page. */
export const TEXTS: Readonly<Record<LanguageId, ReceiptTexts>> = { en, de, es, fr, ja, ar };
