import type { Mail } from '../../platform/mail.ts';
import type { Language } from '../languages/languages.ts';
import { htmlOf } from './html-mail.ts';
import { mailContentOf } from './content.ts';
import type { MailContent, ReceiptData, Row } from './template.ts';
import { STANDARD, type OwnTexts } from './texts/kinds.ts';

/**
 * The mail for a receipt or a request in a language, from its merchant, to whom answers go where
 * they have named an address: pure. `own`: what the merchant has written for it. A test is one in the list of
 * mails, too, which shows the sender.
 */
export function receiptMail(
  receipt: ReceiptData,
  language: Language,
  own: OwnTexts = STANDARD,
): Pick<Mail, 'sender' | 'replyTo' | 'subject' | 'text'> & { html: string } {
  const content = mailContentOf(receipt, language, own);
  const { merchant, isTest, subject } = content;
  return {
    ...(merchant === '' ? {} : { sender: isTest ? `${merchant} [TEST]` : merchant }),
    ...(receipt.replyTo === null ? {} : { replyTo: receipt.replyTo }),
    subject,
    text: textOf(content),
    html: htmlOf(content),
  };
}

/** The mail as plain text. */
function textOf(content: MailContent): string {
  const { texts, rows, isTest, title, sentences, button, pageUrl, automatic, contact } = content;
  const asking = contact === null ? null : `${filled(contact.sentence, content)}\n${contact.url}`;
  const paragraphs = [
    isTest ? `*** ${texts.testMark}: ${texts.testText} ***` : null,
    title,
    ...sentences.map((sentence) => filled(sentence, content)),
    contact?.isUrgent === true ? asking : null,
    rows
      .map((row) => `${row.label}: ${valueOf(row, content)}${row.url === null ? '' : `\n${row.url}`}`)
      .join('\n'),
    // The URL alone on its line: mail programs would take what follows it for a part of the link.
    `${button}:\n${pageUrl}`,
    contact?.isUrgent === false ? asking : null,
    filled(automatic, content),
  ];
  return `${paragraphs.filter((paragraph) => paragraph !== null).join('\n\n')}\n`;
}

function filled(sentence: string, content: MailContent): string {
  const { merchant, order, time, figures } = content;
  const words: Record<string, string | undefined> = { merchant, order, time };
  return sentence.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const word = words[name];
    return word === undefined
      ? isolated(figures[name] ?? '', LEFT_TO_RIGHT, content)
      : isolated(word, FIRST_STRONG, content);
  });
}

function valueOf({ kind, value }: Row, content: MailContent): string {
  return isolated(value, kind === 'words' ? FIRST_STRONG : LEFT_TO_RIGHT, content);
}

const LEFT_TO_RIGHT = '\u2066';
const FIRST_STRONG = '\u2068';
const END = '\u2069';

/**
 * Between Arabic words an amount and its coin would change places. Left-to-right texts need no marks, which
 * customers would copy along.
 */
function isolated(value: string, mark: string, { language }: MailContent): string {
  return language.direction === 'rtl' ? `${mark}${value}${END}` : value;
}
