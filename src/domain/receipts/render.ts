import type { Language } from '../languages/languages.ts';
import { htmlOf } from './html-mail.ts';
import { mailContentOf, type ReceiptData } from './template.ts';
import { textOf } from './text-mail.ts';

/** The mail that tells a customer of `receipt` in a language: pure. */
export function receiptMail(
  receipt: ReceiptData,
  language: Language,
): { subject: string; text: string; html: string } {
  const letter = mailContentOf(receipt, language);
  return { subject: letter.subject, text: textOf(letter), html: htmlOf(letter) };
}
