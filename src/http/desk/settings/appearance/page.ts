import type { Appearance } from '../../../../domain/checkout/appearance/schemas.ts';
import { CURRENCY_IDS } from '../../../../domain/chain/currencies.ts';
import { may } from '../../../../domain/people/rights/roles.ts';
import { html, type Html } from '../../../../platform/pages/html.ts';
import { button, field, form, select } from '../../shell/fields.ts';
import type { AtMerchant, Page } from '../../shell/route.ts';
import { deskScript } from '../../shell/style.ts';
import { textArea } from '../../shell/choices.ts';
import { settingsPage, settingsPath } from '../shared/menu.ts';
import { previews } from '../shared/previews.ts';
import type { Draft, DraftField } from './draft.ts';

/** Shows what is typed in the frames, a moment later. */
const SCRIPT = deskScript(['preview.js']);

export interface ShownAppearance {
  readonly draft: Draft;
  readonly stored: Appearance;
  /** What is wrong, and with which field where it is one of the form. */
  readonly fault: { readonly field: DraftField | null; readonly text: string } | null;
}

/** How the merchant appears on their customers' pages, beside such a page in both schemes. */
export function appearancePage(visit: AtMerchant, shown: ShownAppearance): Page {
  const mayChange = may(visit.merchant.role, 'checkout:write');
  const main = html`<div class="beside">
    ${mayChange ? formsOf(visit, shown) : html`<p class="small">${visit.texts.settings.changersOnly}</p>`}
    ${previews(visit, { path: `${settingsPath(visit, 'appearance')}/preview`, shown: shown.draft, text: visit.texts.settings.appearance.previewText })}
  </div>`;
  // A choice of one has no place for what is wrong with it.
  const isBeside = shown.fault?.field !== null && shown.fault?.field !== 'display_currency';
  const fault = shown.fault === null || isBeside ? null : shown.fault.text;
  const page = settingsPage(visit, 'appearance', { main, fault });
  return { ...page, status: shown.fault === null ? 200 : 400, scripts: [SCRIPT] };
}

function formsOf(visit: AtMerchant, shown: ShownAppearance): Html {
  return html`<div class="stack">${choicesForm(visit, shown)} ${logoForms(visit, shown.stored)}</div>`;
}

function choicesForm(visit: AtMerchant, { draft, fault }: ShownAppearance): Html {
  const { appearance: texts, save } = visit.texts.settings;
  const path = settingsPath(visit, 'appearance');
  const faultOf = (name: DraftField) => (fault?.field === name ? fault.text : null);
  const line = (name: Exclude<DraftField, 'display_currency' | 'embed_origins'>) =>
    field({
      name,
      label: texts[name].label,
      hint: texts[name].hint,
      value: draft[name],
      fault: faultOf(name),
      isOptional: true,
    });
  const currencies = [['', texts.noCurrency], ...CURRENCY_IDS.map((id) => [id, id] as const)] as const;
  return html`<section class="card">
    <h2>${texts.title}</h2>
    <form method="post" action="${path}" class="step" data-preview>
      ${line('name')} ${line('accent_color')}
      ${select({ name: 'display_currency', label: texts.display_currency, value: draft.display_currency }, currencies)}
      ${line('support_url')}
      ${textArea({
        name: 'embed_origins',
        label: texts.embed_origins.label,
        hint: texts.embed_origins.hint,
        value: draft.embed_origins,
        fault: faultOf('embed_origins'),
        isOptional: true,
      })}
      <div class="actions">
        ${button(save)}
        <button class="quiet" formmethod="get" formaction="${path}" formnovalidate>
          ${visit.texts.settings.preview.title}
        </button>
      </div>
    </form>
  </section>`;
}

function logoForms(visit: AtMerchant, { logo }: Appearance): Html {
  const { appearance: texts } = visit.texts.settings;
  const path = `${settingsPath(visit, 'appearance')}/logo`;
  const image =
    logo === null
      ? html`<p>${texts.noLogo}</p>`
      : html`<p>
            <img
              src="${new URL(logo.url).pathname}"
              width="${logo.width}"
              height="${logo.height}"
              alt="${texts.logo}"
            />
          </p>
          ${form(`${path}/remove`, button(texts.removeLogo, { kind: 'quiet' }), 'inline')}`;
  return html`<section class="card">
    <h2>${texts.logo}</h2>
    ${image}
    <form method="post" action="${path}" enctype="multipart/form-data" class="step">
      <p class="field">
        <label for="logo">${texts.chooseLogo}</label>
        <input
          type="file"
          id="logo"
          name="logo"
          accept="image/png,image/jpeg,image/webp"
          required
          aria-describedby="logo-hint"
        />
        <span class="small" id="logo-hint">${texts.logoHint}</span>
      </p>
      ${button(texts.upload)}
    </form>
  </section>`;
}
