import { createHash } from 'node:crypto';
import { logoPath } from '../checkout/view/appearance.ts';
import type { Language } from '../languages/languages.ts';
import { checkoutUrl } from '../payments/schemas.ts';
import { addSeconds } from '../../platform/clock.ts';
import { html } from '../../platform/pages/html.ts';
import { LOGO_NAME } from './html-mail.ts';
import { receiptMail } from './render.ts';
import type { ReceiptData } from './template.ts';
import type { MailName, OwnTexts } from './texts/kinds.ts';

/** Of whom and when an example is. */
export type ExampleShop = Pick<
  ReceiptData,
  'merchantName' | 'supportUrl' | 'replyTo' | 'logo' | 'isTest' | 'at'
> & {
  /** In which the shop is settled. */
  readonly coin: string;
  /** Its name. */
  readonly network: string;
  readonly publicUrl: string;
};

const CUSTOMER = '0x52908400098527886E0F7030069857D2E4169EE7';
const HASH = '0x9f2b4c6d8e0a1b3c5d7e9f0a2b4c6d8e0a1b3c5d7e9f0a2b4c6d8e0a1b3c5d7e';

/** What a mail says of a payment that does not exist: its link leads to a page that says so. */
export function exampleOf(name: MailName, shop: ExampleShop): ReceiptData {
  const { coin, network, publicUrl, ...rest } = shop;
  const money = (amount: string) => `${amount} ${coin}`;
  const sent = { transactions: [{ hash: HASH, url: null }], networks: [network] };
  const none = { transactions: [], networks: [] };
  const common = {
    ...rest,
    paymentId: 'pay_00000000000000000000000000',
    orderId: 'ORDER-1001',
    description: null,
    total: money('25.00'),
    price: null,
    pageUrl: checkoutUrl('example', publicUrl),
  };
  const refund = { ...common, ...sent, sentAs: null, sentTo: CUSTOMER };
  const tooLittle = { ...common, ...none, came: money('10.00'), received: money('10.00'), sentBack: null };
  const until = addSeconds(shop.at, 1_800);
  const examples = {
    paid: { ...common, ...sent, kind: 'paid', paid: money('25.00') },
    refunded: { ...refund, kind: 'refunded', sentBack: money('25.00'), sentBackSoFar: money('25.00') },
    refundedInPart: {
      ...refund,
      kind: 'refundedInPart',
      sentBack: money('5.00'),
      sentBackSoFar: money('5.00'),
    },
    incomplete: {
      ...common,
      ...none,
      kind: 'incomplete',
      came: money('10.00'),
      missing: money('15.00'),
      until,
      back: [money('10.00')],
    },
    tooLittle: { ...tooLittle, kind: 'tooLittle', isReturned: false },
    tooLate: { ...tooLittle, kind: 'tooLate', isReturned: true },
    asked: { ...common, ...none, kind: 'asked', goesBack: money('25.00') },
    given: { ...common, ...none, kind: 'given', goesBackTo: CUSTOMER },
  } as const satisfies Record<MailName, ReceiptData>;
  return examples[name];
}

/**
 * A mail below its sender and subject as a document for a frame of the desk, in one scheme, and its policy,
 * which allows its styles alone. Nothing in it can be used.
 */
export function mailPreview(
  receipt: ReceiptData,
  language: Language,
  { own, scheme }: { own: OwnTexts; scheme: 'light' | 'dark' },
): { html: string; policy: string } {
  const mail = receiptMail(receipt, language, own);
  const head = html`<header style="${HEAD}">
    <p style="margin:0" dir="auto">${mail.sender ?? ''}</p>
    <p style="margin:0;font-weight:600" dir="auto">${mail.subject}</p>
  </header>`;
  const page = mail.html
    .replace(/<body[^>]*>/, (body) => `${body.replace('<body', '<body inert')}${head.markup}`)
    .replace(`cid:${LOGO_NAME}`, receipt.logo === null ? '' : logoPath(receipt.logo.id))
    .replaceAll(/(color-scheme:|-schemes?" content=")light dark/g, `$1${scheme}`);
  return withStyleSheet(page);
}

const HEAD =
  'padding:12px 16px;border-bottom:1px solid #8886;overflow-wrap:anywhere;' +
  'font:14px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",Arial,sans-serif';

/** A policy names a style sheet by its hash, and no attributes: each style becomes a class. */
function withStyleSheet(page: string): { html: string; policy: string } {
  const names = new Map<string, string>();
  const classed = page.replaceAll(/ style="([^"]*)"/g, (_, style: string) => {
    const name = names.get(style) ?? `s${names.size}`;
    names.set(style, name);
    return ` class="${name}"`;
  });
  const rules = [...names].map(([style, name]) => `.${name}{${style.replaceAll('&#34;', '"')}}`);
  const sheet = rules.join('');
  const hash = createHash('sha256').update(sheet).digest('base64');
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${hash}'`,
    "img-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
  ].join('; ');
  return { html: classed.replace('</head>', () => `<style>${sheet}</style></head>`), policy };
}
