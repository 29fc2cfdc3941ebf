import type { ReceiptTexts } from '../languages/en.ts';
import type { Language } from '../languages/languages.ts';
import type { Logo } from '../checkout/view/appearance.ts';

/**
 * What a receipt, a mail about money without use, a refund request or an address notice says. Amounts include
 * their coin: "10.50 USDC".
 */
export type ReceiptData = {
  readonly merchantName: string;
  readonly isTest: boolean;
  readonly paymentId: string;
  readonly orderId: string;
  readonly description: string | null;
  /** In the settlement coin. */
  readonly total: string;
  /** In money, of which the total was converted; null: it was asked for in coins. */
  readonly price: string | null;
  readonly at: Date;
  readonly pageUrl: string;
  /** Where customers find help; null: nowhere that is known. */
  readonly supportUrl: string | null;
  /** Where answers go; null: nobody reads them. */
  readonly replyTo: string | null;
  readonly logo: Logo | null;
  /** The names of the networks and the transactions that carried the money. */
  readonly networks: readonly string[];
  readonly transactions: readonly Transaction[];
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
  | {
      /** Why the money does not pay for the order. */
      readonly kind: 'tooLittle' | 'tooLate';
      /** What came in time, or too late: the sentence says it. */
      readonly came: string;
      /** In the settlement coin, over all transfers. */
      readonly received: string;
      /** In the settlement coin; null: nothing yet. */
      readonly sentBack: string | null;
      /** By the payment's policy; else only if the merchant does. */
      readonly isReturned: boolean;
    }
  | {
      /** A refund waits for an address. */
      readonly kind: 'asked';
      readonly goesBack: string;
    }
  | {
      /** Too little came, and the payment is open: the customer sends the rest, or nothing more. */
      readonly kind: 'incomplete';
      /** In the settlement coin. */
      readonly came: string;
      /** In the payment's coin, and until when it is the amount. */
      readonly missing: string;
      readonly until: Date;
      /** What can go back, coin by coin; none: it is too little to be sent. */
      readonly back: readonly string[];
    }
  | {
      /** An address for refunds was given on the page. */
      readonly kind: 'given';
      readonly goesBackTo: string;
    }
);

interface Transaction {
  readonly hash: string;
  /** Its page of an explorer; null: there is none. */
  readonly url: string | null;
}

/**
 * `words`: a merchant's or customer's text; `figures`: amounts and names in Latin letters; `code`: long, for
 * machines.
 */
export interface Row {
  readonly label: string;
  readonly value: string;
  readonly kind: 'words' | 'figures' | 'code';
  /** Where the value leads; null: nowhere. */
  readonly url: string | null;
}

/**
 * A mail's content, before it becomes text or HTML. Sentences may hold `{merchant}`, `{order}`, `{time}` and
 * the names of `figures`; one may have several lines.
 */
export interface MailContent {
  readonly language: Language;
  readonly texts: ReceiptTexts;
  /** Tells the customer to contact the merchant, whose name leads to `url`; null: nobody can be asked. */
  readonly contact: { readonly sentence: string; readonly url: string; readonly isUrgent: boolean } | null;
  readonly subject: string;
  readonly isTest: boolean;
  readonly logo: Logo | null;
  readonly title: string;
  readonly sentences: readonly string[];
  readonly merchant: string;
  readonly order: string;
  /** In words; '': it names no time. */
  readonly time: string;
  /** Amounts, as the language writes them. */
  readonly figures: Readonly<Record<string, string>>;
  readonly rows: readonly Row[];
  /** What the one link says. */
  readonly button: string;
  readonly pageUrl: string;
  /** What comes of an answer to the mail. */
  readonly automatic: string;
}
