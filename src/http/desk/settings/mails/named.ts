import { ValidationError } from '../../../../domain/api/errors.ts';
import { isNetwork } from '../../../../domain/chain/networks.ts';
import { readAppearance } from '../../../../domain/checkout/appearance/store.ts';
import { mailAddressOf } from '../../../../domain/checkout/markup/links.ts';
import { ALL_LANGUAGES, type Language } from '../../../../domain/languages/languages.ts';
import { adaptersOf, type AdaptersByMode } from '../../../../domain/payments/lifecycle/ports.ts';
import type { ExampleShop } from '../../../../domain/receipts/example.ts';
import { checkOwnTexts } from '../../../../domain/receipts/texts/check.ts';
import { mailNamed, STANDARD, type OwnTexts } from '../../../../domain/receipts/texts/kinds.ts';
import type { MailOfMerchant } from '../../../../domain/receipts/texts/store.ts';
import type { AtMerchant, DeskReply } from '../../shell/route.ts';
import { readCaller } from '../../verbs.ts';
import type { TypedTexts } from './mail-page.ts';

/** The mail that a path names. */
export interface NamedMail {
  readonly mail: MailOfMerchant;
  readonly language: Language;
}

export async function withMail(
  visit: AtMerchant,
  use: (named: NamedMail) => Promise<DeskReply>,
): Promise<DeskReply> {
  const { params, merchant } = visit;
  const kind = mailNamed(params.mail ?? '');
  const language = ALL_LANGUAGES.find(({ id }) => id === params.language);
  if (kind === null || language === undefined) return 'missing';
  return use({ mail: { merchantId: merchant.merchant_id, kind, language: language.id }, language });
}

/** The texts of a form, or of the query of a preview. */
export const typedBy = (read: (name: string) => string): TypedTexts => ({
  subject: read('subject'),
  text: read('text'),
});

/** With a draft in the query: the button that shows it where no script does. */
export function typedOf({ query }: AtMerchant, { subject, text }: OwnTexts): TypedTexts {
  if (!query.has('subject')) return { subject: subject ?? '', text: text ?? '' };
  return typedBy((name) => query.get(name) ?? '');
}

/** What of a draft can be shown: somebody types, and what is not valid yet is the standard text. */
export function shownTexts({ subject, text }: TypedTexts): OwnTexts {
  return {
    subject: validOrStandard({ subject, text: '' }).subject,
    text: validOrStandard({ subject: '', text }).text,
  };
}

function validOrStandard(typed: TypedTexts): OwnTexts {
  try {
    return checkOwnTexts(typed);
  } catch (error) {
    if (error instanceof ValidationError) return STANDARD;
    throw error;
  }
}

/** Whose mails the examples are. */
export async function shopOf(visit: AtMerchant, adapters: AdaptersByMode): Promise<ExampleShop> {
  const { ctx, merchant } = visit;
  const { settlementCurrency: coin, settlementNetwork: network } = await readCaller(visit);
  const { chains } = adaptersOf(adapters, merchant.mode);
  const appearance = (await readAppearance(ctx.db, merchant.merchant_id))?.appearance ?? null;
  const supportUrl = appearance?.support_url ?? null;
  return {
    merchantName: appearance?.name ?? merchant.name,
    supportUrl,
    replyTo: mailAddressOf(supportUrl),
    logo: appearance?.logo ?? null,
    isTest: chains.isTest,
    at: ctx.now(),
    coin,
    network: isNetwork(network) ? chains.nameOf(network) : network,
    publicUrl: ctx.config.publicUrl,
  };
}
