import { ValidationError } from '../../../../domain/api/errors.ts';
import { recordAct } from '../../../../domain/audit/record.ts';
import type { AdaptersByMode } from '../../../../domain/payments/lifecycle/ports.ts';
import { takeGuess } from '../../../../domain/people/sessions/buckets.ts';
import { isFresh } from '../../../../domain/people/sessions/store.ts';
import { exampleOf, mailPreview } from '../../../../domain/receipts/example.ts';
import { writeMail } from '../../../../domain/receipts/send.ts';
import { checkOwnTexts } from '../../../../domain/receipts/texts/check.ts';
import { STANDARD, type OwnTexts } from '../../../../domain/receipts/texts/kinds.ts';
import { changeOwnTexts, listOwnMails, readOwnTexts } from '../../../../domain/receipts/texts/store.ts';
import type { Mailer } from '../../../../platform/mail.ts';
import { faultOf } from '../../../../platform/logging/reasons.ts';
import {
  acting,
  actorOf,
  COSTLY_PER_MINUTE,
  DESK_PER_MINUTE,
  type AtMerchant,
  type DeskReply,
  type DeskRoute,
} from '../../shell/route.ts';
import { settingsPath } from '../shared/menu.ts';
import { mailsPage } from './list-page.ts';
import { mailPage, type ShownMail } from './mail-page.ts';
import { shopOf, shownTexts, typedBy, typedOf, withMail, type NamedMail } from './named.ts';

const PATH = '/dashboard/:merchant/settings/mails';
const ONE = `${PATH}/:mail/:language`;
/** Two frames, which are loaded again while somebody types. */
const PREVIEWS_PER_MINUTE = 600;

const READ = { access: 'member', method: 'get', right: 'payments:read', perMinute: DESK_PER_MINUTE } as const;
const WRITE = { ...READ, method: 'post', right: 'settings:write' } as const;

/** What the mails to customers say, and how they look. */
export const mailRoutes = (adapters: AdaptersByMode, mailer: Mailer | null): readonly DeskRoute[] => [
  {
    ...READ,
    name: 'mail texts',
    path: PATH,
    handle: async (visit: AtMerchant) =>
      mailsPage(visit, await listOwnMails(visit.ctx.db, visit.merchant.merchant_id)),
  },
  {
    ...READ,
    name: 'mail text',
    path: ONE,
    handle: (visit: AtMerchant) => withMail(visit, (named) => show(visit, named, {})),
  },
  {
    ...READ,
    name: 'mail preview',
    path: `${ONE}/preview`,
    perMinute: PREVIEWS_PER_MINUTE,
    handle: (visit: AtMerchant) => withMail(visit, (named) => preview(visit, adapters, named)),
  },
  {
    ...WRITE,
    name: 'set mail text',
    path: ONE,
    handle: (visit: AtMerchant) => withMail(visit, (named) => save(visit, named)),
  },
  {
    ...WRITE,
    name: 'reset mail text',
    path: `${ONE}/reset`,
    isFresh: true,
    handle: (visit: AtMerchant) => withMail(visit, (named) => change(visit, named, STANDARD)),
  },
  {
    ...WRITE,
    name: 'send test mail',
    path: `${ONE}/test`,
    perMinute: COSTLY_PER_MINUTE,
    handle: (visit: AtMerchant) => withMail(visit, (named) => sendTest(visit, named, { adapters, mailer })),
  },
];

/**
 * Without a second factor of the last ten minutes, what was typed is shown again: a text takes longer to
 * write than other forms.
 */
async function save(visit: AtMerchant, named: NamedMail): Promise<DeskReply> {
  const typed = typedBy(visit.field);
  try {
    const own = checkOwnTexts(typed);
    if (!isFresh(visit.session, visit.ctx.now()))
      return await show(visit, named, { typed, mustConfirm: true });
    return await change(visit, named, own);
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    const field = error.details?.field === 'subject' ? 'subject' : 'text';
    return show(visit, named, { typed, fault: { field, text: error.message } });
  }
}

async function change(visit: AtMerchant, named: NamedMail, own: OwnTexts): Promise<DeskReply> {
  await changeOwnTexts(visit.ctx, named.mail, own, actorOf(visit));
  return { to: `${pathOf(visit, named)}?said=saved` };
}

const pathOf = (visit: AtMerchant, { mail }: NamedMail): string =>
  `${settingsPath(visit, 'mails')}/${mail.kind}/${mail.language}`;

async function sendTest(
  visit: AtMerchant,
  named: NamedMail,
  { adapters, mailer }: { adapters: AdaptersByMode; mailer: Mailer | null },
): Promise<DeskReply> {
  const { ctx, merchant, session, texts } = visit;
  if (mailer === null) return show(visit, named, { problem: texts.mails.noServer });
  if (!(await takeGuess(ctx, 'testMail', session.person_id, null)))
    return show(visit, named, { problem: texts.mails.tooMany });
  const { kind, language, merchantId } = named.mail;
  // Marked, at a live shop too: nobody gets a receipt of a payment that does not exist.
  const receipt = { ...exampleOf(kind, await shopOf(visit, adapters)), isTest: true };
  const mail = await writeMail(ctx.db, { to: session.email, language, merchantId, receipt });
  try {
    await mailer.send(mail);
  } catch (error) {
    ctx.log.warn('a test mail could not be sent', { merchant_id: merchantId, ...faultOf(error) });
    return show(visit, named, { problem: texts.mails.notSent });
  }
  const details = { merchant_id: merchant.merchant_id, mail: kind, language };
  await recordAct(acting(visit), ctx.db, 'test mail sent', details);
  return { to: `${pathOf(visit, named)}?said=sent` };
}

async function show(visit: AtMerchant, named: NamedMail, more: Partial<ShownMail>): Promise<DeskReply> {
  const { mail, language } = named;
  const stored = await readOwnTexts(visit.ctx.db, mail);
  const own = await listOwnMails(visit.ctx.db, mail.merchantId);
  return mailPage(visit, {
    name: mail.kind,
    language,
    stored,
    own: own.filter(({ kind }) => kind === mail.kind).map((one) => one.language),
    typed: typedOf(visit, stored),
    fault: null,
    problem: null,
    mustConfirm: false,
    ...more,
  });
}

async function preview(visit: AtMerchant, adapters: AdaptersByMode, named: NamedMail): Promise<DeskReply> {
  const { mail, language } = named;
  const stored = await readOwnTexts(visit.ctx.db, mail);
  const own = shownTexts(typedOf(visit, stored));
  const scheme = visit.query.get('scheme') === 'dark' ? 'dark' : 'light';
  return mailPreview(exampleOf(mail.kind, await shopOf(visit, adapters)), language, { own, scheme });
}
