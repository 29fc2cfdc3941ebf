import { ALL_LANGUAGES } from '../../../../domain/languages/languages.ts';
import { MAIL_NAMES, type MailName } from '../../../../domain/receipts/texts/kinds.ts';
import { fillPlain, html } from '../../../../platform/pages/html.ts';
import { table } from '../../shell/fields.ts';
import type { AtMerchant, Page } from '../../shell/route.ts';
import { settingsPage, settingsPath } from '../shared/menu.ts';

/** The mails for which the merchant has written something, with their languages. */
export type OwnMails = readonly { readonly kind: string; readonly language: string }[];

/** Every mail that customers get. */
export function mailsPage(visit: AtMerchant, own: OwnMails): Page {
  const { mails: texts } = visit.texts;
  const rows = MAIL_NAMES.map((name) => {
    const { name: label, when } = texts.kinds[name];
    const to = `${settingsPath(visit, 'mails')}/${name}/en`;
    return [
      html`<strong>${label}</strong>`,
      html`${when}`,
      html`${languagesOf(own, name) || texts.none}`,
      html`<a class="button" href="${to}" aria-label="${fillPlain(texts.showWhich, { mail: label })}"
        >${texts.show}</a
      >`,
    ];
  });
  const heads = [texts.mail, texts.when, texts.own, texts.texts];
  const main = html`<section class="card">
    <p>${visit.merchant.mode === 'test' ? texts.testIntro : texts.intro}</p>
    ${table(visit.texts.settings.sections.mails, heads, rows)}
  </section>`;
  return settingsPage(visit, 'mails', { main });
}

const languagesOf = (own: OwnMails, name: MailName): string =>
  ALL_LANGUAGES.filter(({ id }) => own.some(({ kind, language }) => kind === name && language === id))
    .map((language) => language.name)
    .join(', ');
