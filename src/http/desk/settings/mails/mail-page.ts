import { ALL_LANGUAGES, type Language } from '../../../../domain/languages/languages.ts';
import { may } from '../../../../domain/people/rights/roles.ts';
import {
  isStandard,
  MAILS,
  MOST_CHARACTERS,
  PLACEHOLDERS,
  type MailName,
  type OwnTexts,
} from '../../../../domain/receipts/texts/kinds.ts';
import type { TextField } from '../../../../domain/receipts/texts/check.ts';
import { fillPlain, html, type Html } from '../../../../platform/pages/html.ts';
import { pairs, textArea } from '../../shell/choices.ts';
import { alert, button, field, form, said } from '../../shell/fields.ts';
import type { AtMerchant, Page } from '../../shell/route.ts';
import { deskScript } from '../../shell/style.ts';
import { settingsPage, settingsPath } from '../shared/menu.ts';
import { previews } from '../shared/previews.ts';

/** Shows what is typed in the frames, a moment later. */
const SCRIPT = deskScript(['preview.js']);

/** What is typed. */
export type TypedTexts = Readonly<Record<TextField, string>>;

export interface ShownMail {
  readonly name: MailName;
  readonly language: Language;
  readonly stored: OwnTexts;
  readonly typed: TypedTexts;
  /** The languages in which the merchant has written this mail. */
  readonly own: readonly string[];
  /** What is wrong with which field; null: nothing. */
  readonly fault: { readonly field: TextField; readonly text: string } | null;
  /** What went wrong otherwise. */
  readonly problem: string | null;
  /** Nothing was saved, because the second factor was proven too long ago. */
  readonly mustConfirm: boolean;
}

/** A mail in a language: what the merchant has written for it, what stays, and how it looks. */
export function mailPage(visit: AtMerchant, shown: ShownMail): Page {
  const { mails: texts, settings } = visit.texts;
  const isOwner = may(visit.merchant.role, 'settings:write');
  const { name, fault, problem, mustConfirm } = shown;
  const isSent = visit.query.get('said') === 'sent' && problem === null;
  const note = isSent ? fillPlain(texts.sent, { email: visit.session.email }) : null;
  const main = html`${said(note)} ${alert(problem)} ${mustConfirm ? confirmNote(visit) : null}
    <p>${fillPlain(texts.sentWhen, { when: texts.kinds[name].when })}</p>
    ${languages(visit, shown)}
    <div class="beside">
      <div class="stack">
        ${isOwner ? textsForm(visit, shown) : html`<p class="small">${settings.ownersOnly}</p>`}
        ${standard(visit, shown)} ${isOwner ? testForm(visit, shown) : null}
        <p><a class="button" href="${settingsPath(visit, 'mails')}">${texts.back}</a></p>
      </div>
      ${previews(visit, { path: `${pathOf(visit, shown)}/preview`, shown: shown.typed, text: visit.texts.mails.previewText })}
    </div>`;
  const page = settingsPage(visit, 'mails', { main });
  const isRefused = fault !== null || problem !== null || mustConfirm;
  return {
    ...page,
    title: `${settings.sections.mails}: ${texts.kinds[name].name}`,
    status: isRefused ? 400 : 200,
    scripts: [SCRIPT],
  };
}

const pathOf = (visit: AtMerchant, { name, language }: Pick<ShownMail, 'name' | 'language'>): string =>
  `${settingsPath(visit, 'mails')}/${name}/${language.id}`;

/** What was typed stays on this page, and is saved once its author has proven who they are. */
function confirmNote(visit: AtMerchant): Html {
  const { mails: texts } = visit.texts;
  const to = `/dashboard/second-factor?to=${encodeURIComponent(visit.path)}`;
  return html`${alert(texts.confirmFirst)}
    <p><a class="button" href="${to}" target="_blank" rel="noopener">${texts.confirm}</a></p>`;
}

function languages(visit: AtMerchant, { name, language, own }: ShownMail): Html {
  const { mails: texts } = visit.texts;
  return html`<nav class="sections" aria-label="${texts.languages}">
    <ul>
      ${ALL_LANGUAGES.map((one) => {
        const at = one.id === language.id ? html`aria-current="page"` : null;
        const mark = own.includes(one.id) ? html`&nbsp;(${texts.ownMark})` : null;
        return html`<li>
          <a href="${pathOf(visit, { name, language: one })}" ${at}
            ><span lang="${one.id}">${one.name}</span>${mark}</a
          >
        </li>`;
      })}
    </ul>
  </nav>`;
}

function textsForm(visit: AtMerchant, shown: ShownMail): Html {
  const { mails: texts, settings } = visit.texts;
  const { typed, fault, stored } = shown;
  const path = pathOf(visit, shown);
  const faultOf = (name: TextField) => (fault?.field === name ? fault.text : null);
  return html`<section class="card">
    <h2>${texts.yours}</h2>
    <form method="post" action="${path}" class="step" data-preview>
      ${field({
        name: 'subject',
        label: texts.subject,
        hint: texts.subjectHint,
        value: typed.subject,
        fault: faultOf('subject'),
        isOptional: true,
      })}
      ${textArea({
        name: 'text',
        label: texts.text,
        hint: texts.textHint,
        value: typed.text,
        fault: faultOf('text'),
        rows: 8,
        maxLength: MOST_CHARACTERS.text,
        isOptional: true,
      })}
      <h3>${texts.placeholders}</h3>
      ${placeholders(visit, shown)}
      <p class="small">${texts.stays}</p>
      <div class="actions">
        ${button(settings.save)}
        <button class="quiet" formmethod="get" formaction="${path}" formnovalidate>
          ${visit.texts.settings.preview.title}
        </button>
      </div>
    </form>
    ${isStandard(stored) ? null : form(`${path}/reset`, button(texts.reset, { kind: 'quiet' }), 'inline')}
  </section>`;
}

/** Amounts are in the text alone. */
function placeholders({ texts }: AtMerchant, { name }: ShownMail): Html {
  const { mails } = texts;
  const saying = {
    ...mails.placeholder,
    amount: fillPlain(mails.inText, { what: mails.kinds[name].amount }),
  };
  return pairs(PLACEHOLDERS.text.map((one) => [`{${one}}`, html`${saying[one]}`] as const));
}

function standard({ texts }: AtMerchant, { name, language }: ShownMail): Html {
  const { mails } = texts;
  const { subject, text } = MAILS[name];
  const shown = (value: string) => html`<p lang="${language.id}" dir="${language.direction}">${value}</p>`;
  return html`<section class="card">
    <h2>${mails.standard}</h2>
    <h3>${mails.subject}</h3>
    ${shown(language.receipt[subject])}
    <h3>${mails.text}</h3>
    ${shown(language.receipt[text])}
  </section>`;
}

function testForm(visit: AtMerchant, shown: ShownMail): Html {
  const { mails: texts } = visit.texts;
  const fields = html`<p>${fillPlain(texts.testText, { email: visit.session.email })}</p>
    ${button(texts.test, { kind: 'quiet' })}`;
  return html`<section class="card">
    <h2>${texts.test}</h2>
    ${form(`${pathOf(visit, shown)}/test`, fields)}
  </section>`;
}
