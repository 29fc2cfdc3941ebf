import { fillPlain } from '../../platform/pages/html.ts';
import type { ReceiptTexts } from '../languages/en.ts';
import type { Language } from '../languages/languages.ts';
import { decimal } from '../checkout/markup/format.ts';
import { supportLink } from '../checkout/markup/links.ts';
import type { MailContent, ReceiptData, Row } from './template.ts';
import { isStandard, MAILS, MOST_CHARACTERS, type OwnTexts } from './texts/kinds.ts';
import { sanitize, unlinked } from './texts/sanitize.ts';

/** Longest texts of a merchant in a subject or a mail, in characters. */
const NAME_LENGTH = 80;
const ORDER_LENGTH = 255;
const SUBJECT_ORDER_LENGTH = 60;
const DESCRIPTION_LENGTH = 300;

/**
 * The content of a mail to a customer in a language, with the merchant's texts sanitized. What they have
 * written takes the place of subject and first sentence; title, rows, links and what follows stay.
 */
export function mailContentOf(receipt: ReceiptData, language: Language, own: OwnTexts): MailContent {
  const { receipt: texts } = language;
  const keys = MAILS[receipt.kind];
  const merchant = freeText(receipt, receipt.merchantName, NAME_LENGTH);
  const order = freeText(receipt, receipt.orderId, SUBJECT_ORDER_LENGTH);
  const asks = receipt.kind === 'asked';
  const ownSubject = own.subject && freeText(receipt, own.subject, MOST_CHARACTERS.subject);
  const subject = fillPlain(ownSubject ?? texts[keys.subject], { merchant, order });
  return {
    language,
    texts,
    contact: contactOf(receipt, texts),
    // The same in every language: filters of mail know it.
    subject: receipt.isTest ? `[TEST] ${subject}` : subject,
    isTest: receipt.isTest,
    logo: receipt.logo,
    title: texts[keys.title],
    sentences: [
      ...(own.text === null ? [texts[keys.text]] : paragraphsOf(receipt, own.text)),
      ...furtherSentences(receipt, language),
    ],
    merchant,
    order,
    time: receipt.kind === 'incomplete' ? writtenTime(receipt.until, language.id) : '',
    figures: figuresOf(receipt, language),
    rows: [...(isStandard(own) ? [] : [shopRow(merchant, language)]), ...rowsOf(receipt, language)],
    button: asks ? texts.toAddress : texts.toPage,
    // The form for the address has this id.
    pageUrl: `${receipt.pageUrl}?lang=${language.id}${asks ? '#refund' : ''}`,
    automatic: receipt.replyTo === null ? texts.automatic : texts.answers,
  };
}

/** Whom the customer asks. A mail of a test leads nowhere but to its page. */
function contactOf(
  { kind, isTest, supportUrl, orderId }: ReceiptData,
  texts: ReceiptTexts,
): MailContent['contact'] {
  const url = isTest ? null : supportLink(supportUrl, orderId);
  const isUrgent = kind === 'given';
  return url === null ? null : { sentence: isUrgent ? texts.givenContact : texts.contact, url, isUrgent };
}

/** What follows for the customer. */
function furtherSentences(receipt: ReceiptData, { page, receipt: texts }: Language): string[] {
  if (receipt.kind === 'asked') return [texts.addressText];
  // As the page says it.
  if (receipt.kind === 'incomplete')
    return [page.underpaidMore, ...(receipt.back.length === 0 ? [] : [page.underpaidBack])];
  if (!('isReturned' in receipt)) return [];
  return [texts.sendNoMore, receipt.isReturned ? texts.returnedText : texts.keptText];
}

/** What a merchant has written, a paragraph each; its lines are kept. */
function paragraphsOf(receipt: ReceiptData, text: string): string[] {
  return text.split('\n\n').map((paragraph) =>
    paragraph
      .split('\n')
      .map((line) => freeText(receipt, line, MOST_CHARACTERS.text))
      .join('\n'),
  );
}

/** Who took the money: a text of the merchant's own may not say it. */
function shopRow(merchant: string, { page }: Language): Row {
  return { label: page.paymentTo, value: merchant, kind: 'words', url: null };
}

/** A merchant's text. */
function freeText({ isTest }: ReceiptData, text: string, length: number): string {
  const clean = sanitize(text, length);
  return isTest ? unlinked(clean) : clean;
}

function figuresOf(receipt: ReceiptData, language: Language): Readonly<Record<string, string>> {
  const always = { amount: written(amountOf(receipt), language), total: written(receipt.total, language) };
  if (receipt.kind !== 'incomplete') return always;
  return {
    ...always,
    missing: written(receipt.missing, language),
    back: receipt.back.map((one) => written(one, language)).join(' + '),
  };
}

function amountOf(receipt: ReceiptData): string {
  if (receipt.kind === 'paid' || receipt.kind === 'given') return receipt.total;
  if (receipt.kind === 'asked') return receipt.goesBack;
  return 'came' in receipt ? receipt.came : receipt.sentBack;
}

/** "1234.50 USDC" as the language writes it, with every digit that it has. */
function written(amount: string, { locale }: Language): string {
  const [number = '', coin = ''] = amount.split(' ');
  return `${decimal(number, locale)} ${coin}`;
}

function rowsOf(receipt: ReceiptData, language: Language): Row[] {
  const { receipt: texts } = language;
  const { description, networks, transactions } = receipt;
  const row = (label: string, value: string | null, kind: Row['kind'], url: string | null = null): Row[] =>
    value === null || value === '' ? [] : [{ label, value, kind, url }];
  return [
    ...row(texts.order, freeText(receipt, receipt.orderId, ORDER_LENGTH), 'words'),
    ...row(texts.description, description && freeText(receipt, description, DESCRIPTION_LENGTH), 'words'),
    ...row(texts.price, receipt.price && written(receipt.price, language), 'figures'),
    ...moneyRows(receipt, texts).flatMap(([label, amount]) =>
      row(label, amount && written(amount, language), 'figures'),
    ),
    ...row(texts.network, networks.join(', '), 'figures'),
    ...row(texts.time, writtenTime(receipt.at, language.id), 'words'),
    ...('goesBackTo' in receipt ? row(texts.goesBackTo, receipt.goesBackTo, 'code') : []),
    ...('sentTo' in receipt ? row(texts.sentTo, receipt.sentTo, 'code') : []),
    ...transactions.flatMap(({ hash, url }) => row(texts.transaction, hash, 'code', url)),
    ...row(texts.payment, receipt.paymentId, 'code'),
  ];
}

function moneyRows(receipt: ReceiptData, texts: ReceiptTexts): [label: string, amount: string | null][] {
  if (receipt.kind === 'paid')
    return [
      [texts.total, receipt.total],
      [texts.paid, receipt.paid],
    ];
  if (receipt.kind === 'given') return [[texts.total, receipt.total]];
  if (receipt.kind === 'asked')
    return [
      [texts.total, receipt.total],
      [texts.goesBack, receipt.goesBack],
    ];
  if (receipt.kind === 'incomplete')
    return [
      [texts.total, receipt.total],
      [texts.received, receipt.came],
    ];
  if ('came' in receipt)
    return [
      [texts.total, receipt.total],
      [texts.received, receipt.received],
      [texts.sentBackSoFar, receipt.sentBack],
    ];
  const { kind, total, sentBack, sentAs, sentBackSoFar } = receipt;
  const showsSum = kind === 'refundedInPart' || sentBackSoFar !== sentBack;
  return [
    [texts.total, total],
    [texts.sentBack, sentBack],
    [texts.sentAs, sentAs],
    [texts.sentBackSoFar, showsSum ? sentBackSoFar : null],
  ];
}

/** In words, and in UTC: the customer's time zone is unknown. */
function writtenTime(at: Date, language: string): string {
  const format = { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' } as const;
  return `${new Intl.DateTimeFormat(`${language}-u-nu-latn`, format).format(at)} UTC`;
}
