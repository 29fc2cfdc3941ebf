import type { Language } from '../checkout/languages.ts';
import { htmlOf } from './html-mail.ts';
import { letterOf, type Receipt } from './letter.ts';
import { textOf } from './text-mail.ts';

/** The mail that tells a customer of `receipt` in a language: pure. */
export function receiptMail(
  receipt: Receipt,
  language: Language,
): { subject: string; text: string; html: string } {
  const letter = letterOf(receipt, language);
  return { subject: letter.subject, text: textOf(letter), html: htmlOf(letter) };
}
