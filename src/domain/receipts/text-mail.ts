import type { MailContent, Row } from './template.ts';

/** The letter as plain text. */
export function textOf(letter: MailContent): string {
  const { texts, rows, isTest, title, sentence, pageUrl } = letter;
  const paragraphs = [
    isTest ? `*** ${texts.testMark}: ${texts.testText} ***` : null,
    title,
    filled(sentence, letter),
    rows.map((row) => `${row.label}: ${valueOf(row, letter)}`).join('\n'),
    // The address alone on its line: what stands behind it would become a part of the link.
    `${texts.toPage}:\n${pageUrl}`,
    `${filled(texts.contact, letter)}\n${texts.automatic}`,
  ];
  return `${paragraphs.filter((paragraph) => paragraph !== null).join('\n\n')}\n`;
}

function filled(sentence: string, letter: MailContent): string {
  const parts: Record<string, string> = {
    merchant: isolated(letter.merchant, FIRST_STRONG, letter),
    amount: isolated(letter.amount, LEFT_TO_RIGHT, letter),
  };
  return sentence.replaceAll(/\{(\w+)\}/g, (_, name: string) => parts[name] ?? '');
}

function valueOf({ kind, value }: Row, letter: MailContent): string {
  return isolated(value, kind === 'words' ? FIRST_STRONG : LEFT_TO_RIGHT, letter);
}

const LEFT_TO_RIGHT = '\u2066';
const FIRST_STRONG = '\u2068';
const END = '\u2069';

/** Between Arabic words an amount and its coin would change places. Elsewhere the marks would only be copied along. */
function isolated(value: string, mark: string, { language }: MailContent): string {
  return language.direction === 'rtl' ? `${mark}${value}${END}` : value;
}
