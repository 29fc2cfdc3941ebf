import type { ReceiptTexts } from '../../languages/en.ts';

interface StandardTexts {
  readonly subject: keyof ReceiptTexts;
  readonly title: keyof ReceiptTexts;
  /** The first sentence: merchants may have another. What follows it stays. */
  readonly text: keyof ReceiptTexts;
}

/** Every mail that customers get, with the names of its standard texts. */
export const MAILS = {
  paid: { subject: 'paidSubject', title: 'paidTitle', text: 'paidText' },
  refunded: { subject: 'refundedSubject', title: 'refundedTitle', text: 'refundedText' },
  refundedInPart: { subject: 'partSubject', title: 'partTitle', text: 'refundedText' },
  incomplete: { subject: 'incompleteSubject', title: 'incompleteTitle', text: 'incompleteText' },
  tooLittle: { subject: 'tooLittleSubject', title: 'tooLittleTitle', text: 'tooLittleText' },
  tooLate: { subject: 'tooLateSubject', title: 'tooLateTitle', text: 'tooLateText' },
  asked: { subject: 'askedSubject', title: 'askedTitle', text: 'askedText' },
  given: { subject: 'givenSubject', title: 'givenTitle', text: 'givenText' },
} as const satisfies Record<string, StandardTexts>;

export type MailName = keyof typeof MAILS;

export const MAIL_NAMES = Object.keys(MAILS) as readonly MailName[];

/** The mail with this name; null: there is none. */
export const mailNamed = (name: string): MailName | null => MAIL_NAMES.find((one) => one === name) ?? null;

/** What a merchant may write in the place of a mail's standard texts; null: the standard text. */
export interface OwnTexts {
  readonly subject: string | null;
  readonly text: string | null;
}

/** What there is without them. */
export const STANDARD: OwnTexts = { subject: null, text: null };

export const isStandard = ({ subject, text }: OwnTexts): boolean => subject === null && text === null;

/** In characters: a mail is read at a glance. */
export const MOST_CHARACTERS = { subject: 100, text: 600 } as const;

/** What a mail fills in. An amount in a subject would change places with its coin between Arabic words. */
export const PLACEHOLDERS = {
  subject: ['merchant', 'order'],
  text: ['merchant', 'order', 'amount', 'total'],
} as const;
