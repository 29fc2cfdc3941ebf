import type { ReceiptTexts } from '../languages/en.ts';
import type { Language } from '../languages/languages.ts';
import { sanitize } from './sanitize.ts';

/** What a receipt says. Amounts include their coin: "10.50 USDC". */
export type ReceiptData = {
  readonly merchantName: string;
  readonly isTest: boolean;
  readonly paymentId: string;
  readonly orderId: string;
  readonly description: string | null;
  /** In the settlement coin. */
  readonly total: string;
  readonly at: Date;
  readonly pageUrl: string;
  /** The names of the networks and the hashes of the transactions that carried the money. */
  readonly networks: readonly string[];
  readonly hashes: readonly string[];
} & (
  | { readonly kind: 'paid'; readonly paid: string | null }
  | {
      readonly kind: 'refunded' | 'refundedInPart';
      /** In the settlement coin. */
      readonly sentBack: string;
      /** What was sent, in another coin; null: it is `sentBack`. */
      readonly sentAs: string | null;
      /** This refund included. */
      readonly sentBackSoFar: string;
      readonly sentTo: string | null;
    }
);

/**
 * `words`: a merchant's or customer's text; `figures`: amounts and names in Latin letters; `code`: long, for
 * machines.
 */
export interface Row {
  readonly label: string;
  readonly value: string;
  readonly kind: 'words' | 'figures' | 'code';
}

/** A mail's content, before it becomes text or HTML. Sentences may hold `{merchant}` and `{amount}`. */
export interface MailContent {
  readonly language: Language;
  readonly texts: ReceiptTexts;
  readonly subject: string;
  readonly isTest: boolean;
  readonly title: string;
  readonly sentence: string;
  readonly merchant: string;
  readonly amount: string;
  readonly rows: readonly Row[];
  readonly pageUrl: string;
}

/** Longest texts of a merchant in a subject or a mail, in characters. */
const NAME_LENGTH = 80;
const ORDER_LENGTH = 255;
const SUBJECT_ORDER_LENGTH = 60;
const DESCRIPTION_LENGTH = 300;

const KEYS = {
  paid: { subject: 'paidSubject', title: 'paidTitle', sentence: 'paidText' },
  refunded: { subject: 'refundedSubject', title: 'refundedTitle', sentence: 'refundedText' },
  refundedInPart: { subject: 'partSubject', title: 'partTitle', sentence: 'refundedText' },
} as const;

/** A receipt's content in a language, with every text of the merchant sanitized. */
export function mailContentOf(receipt: ReceiptData, language: Language): MailContent {
  const { receipt: texts } = language;
  const keys = KEYS[receipt.kind];
  const merchant = sanitize(receipt.merchantName, NAME_LENGTH);
  const values: Record<string, string> = { merchant, order: sanitize(receipt.orderId, SUBJECT_ORDER_LENGTH) };
  const subject = texts[keys.subject].replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
  return {
    language,
    texts,
    subject: receipt.isTest ? `[${texts.testMark}] ${subject}` : subject,
    isTest: receipt.isTest,
    title: texts[keys.title],
    sentence: texts[keys.sentence],
    merchant,
    amount: receipt.kind === 'paid' ? receipt.total : receipt.sentBack,
    rows: rowsOf(receipt, texts, language.id),
    pageUrl: `${receipt.pageUrl}?lang=${language.id}`,
  };
}

function rowsOf(receipt: ReceiptData, texts: ReceiptTexts, language: string): Row[] {
  const { description, networks, hashes } = receipt;
  const row = (label: string, value: string | null, kind: Row['kind']): Row[] =>
    value === null || value === '' ? [] : [{ label, value, kind }];
  return [
    ...row(texts.order, sanitize(receipt.orderId, ORDER_LENGTH), 'words'),
    ...row(texts.description, description && sanitize(description, DESCRIPTION_LENGTH), 'words'),
    ...moneyRows(receipt, texts).flatMap(([label, value]) => row(label, value, 'figures')),
    ...row(texts.network, networks.join(', '), 'figures'),
    ...row(texts.time, writtenTime(receipt.at, language), 'words'),
    ...(receipt.kind === 'paid' ? [] : row(texts.sentTo, receipt.sentTo, 'code')),
    ...hashes.flatMap((hash) => row(texts.transaction, hash, 'code')),
    ...row(texts.payment, receipt.paymentId, 'code'),
  ];
}

function moneyRows(receipt: ReceiptData, texts: ReceiptTexts): [label: string, value: string | null][] {
  if (receipt.kind === 'paid')
    return [
      [texts.total, receipt.total],
      [texts.paid, receipt.paid],
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
